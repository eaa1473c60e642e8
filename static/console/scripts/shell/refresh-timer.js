// <refresh-timer data-seconds data-event>: raises the event on the page as often as it says, while the page is shown; one
// that fell due meanwhile is raised on return.
class RefreshTimer extends HTMLElement {
  connectedCallback() {
    this.last = performance.now();
    this.timer = setInterval(() => this.tick(), 1000);
    this.shown = () => this.tick();
    document.addEventListener("visibilitychange", this.shown);
  }

  disconnectedCallback() {
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.shown);
  }

  tick() {
    if (document.hidden || performance.now() - this.last < Number(this.dataset.seconds) * 1000) return;
    this.last = performance.now();
    document.body.dispatchEvent(new CustomEvent(this.dataset.event));
  }
}

customElements.define("refresh-timer", RefreshTimer);

// What a reader unfolded stays so when fresh content comes: the server does not know of it.
Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, element) =>
  !(name === "open" && element.localName === "details");
