// <live-dot>: the page's one socket (kept and reconnected by htmx's ws extension). A message {"topic": "request", …}
// becomes the body event "live:request" that fragments listen to. While the socket is away every topic is polled.
const GAP = 250; // at most four refreshes of a topic in a second

class LiveDot extends HTMLElement {
  connectedCallback() {
    this.word = this.querySelector(".word");
    this.topics = this.dataset.topics.split(" ");
    this.waiting = new Map();
    this.seen = new Map();
    this.addEventListener("htmx:wsOpen", () => this.opened());
    this.addEventListener("htmx:wsClose", () => this.closed());
    this.addEventListener("htmx:wsBeforeMessage", (event) => {
      event.preventDefault(); // JSON, not HTML to swap
      const message = JSON.parse(event.detail.message);
      if (message.topic === "hello") this.welcome(message.mark);
      else this.tell(message.topic, message);
    });
    document.addEventListener("visibilitychange", () => this.flush());
  }

  disconnectedCallback() {
    clearInterval(this.poll);
  }

  opened() {
    clearInterval(this.poll);
    this.poll = undefined;
    this.state("live");
  }

  // Subscribed now: what happened between the page's rendering (or a lost line) and this moment was not received. Nothing
  // did if the mark is the one that the page was rendered with.
  welcome(mark) {
    const before = this.dataset.lastEvent;
    this.dataset.lastEvent = "";
    if (!mark || mark !== before) this.everything();
  }

  closed() {
    this.state("polling");
    this.poll ??= setInterval(() => this.everything(), Number(this.dataset.pollSeconds) * 1000);
  }

  everything() {
    for (const topic of this.topics) this.tell(topic, { topic });
  }

  tell(topic, message) {
    this.waiting.set(topic, message);
    const since = performance.now() - (this.seen.get(topic) ?? -GAP);
    if (since >= GAP) this.flush(topic);
    else setTimeout(() => this.flush(topic), GAP - since);
  }

  flush(only) {
    if (document.hidden) return;
    for (const [topic, message] of [...this.waiting]) {
      if (typeof only === "string" && only !== topic) continue;
      this.waiting.delete(topic);
      this.seen.set(topic, performance.now());
      document.body.dispatchEvent(new CustomEvent(`live:${topic}`, { detail: message }));
    }
  }

  state(name) {
    this.dataset.state = name;
    this.word.textContent = this.getAttribute(`data-word-${name}`);
  }
}

customElements.define("live-dot", LiveDot);
