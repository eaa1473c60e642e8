// <stream-answer>: inside the playground's form. Its button sends the form and shows the answer word by word; the second
// click stops it, as a client that hangs up does. Without scripts the form's own button runs a chat at once.
class StreamAnswer extends HTMLElement {
  connectedCallback() {
    this.button = this.querySelector("button");
    this.button.hidden = false;
    this.button.addEventListener("click", () => (this.running ? this.running.abort() : this.run()));
  }

  async run() {
    const form = this.closest("form");
    if (!form.reportValidity()) return;
    this.show();
    this.running = new AbortController();
    this.button.textContent = this.dataset.stop;
    try {
      await this.read(await fetch(this.dataset.url, { method: "POST", body: new FormData(form), signal: this.running.signal }));
    } catch (fault) {
      this.state.textContent = fault.name === "AbortError" ? this.dataset.stopped : this.dataset.broken;
    }
    this.running = null;
    this.button.textContent = this.dataset.start;
  }

  // The card of the answer, in the place of what was there.
  show() {
    const place = document.querySelector(".play-answer");
    place.replaceChildren(this.querySelector("template").content.cloneNode(true));
    this.words = place.querySelector("[data-words]");
    this.state = place.querySelector("[data-state-words]");
    this.log = place.querySelector("[data-log]");
  }

  async read(response) {
    const id = response.headers.get("X-Request-Id");
    if (id) {
      this.log.href = this.log.dataset.url.replace("REQUEST", id);
      this.log.hidden = false;
    }
    // Signed out, or signed in anew in another tab: the page says so, and the chat can be sent again then.
    const signIn = document.querySelector("[data-connection]").dataset.signIn;
    if (new URL(response.url).pathname === signIn) document.body.dispatchEvent(new CustomEvent("signed-out"));
    if (response.headers.get("X-Form-Expired")) document.body.dispatchEvent(new CustomEvent("form-expired"));
    if (!(response.headers.get("Content-Type") ?? "").startsWith("text/event-stream")) {
      const refusal = await response.json();
      this.state.textContent = refusal.message;
      return;
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (waiting + piece.value).split("\n\n");
      waiting = events.pop();
      for (const event of events) this.take(event);
    }
  }

  take(event) {
    const line = event.split("\n").find((one) => one.startsWith("data: "));
    if (!line) return;
    const { type, data } = JSON.parse(line.slice(6));
    if (type === "text") this.words.append(data);
    if (type === "error") this.state.textContent = data;
    if (type === "end") this.state.textContent = this.dataset.done;
  }
}

customElements.define("stream-answer", StreamAnswer);
