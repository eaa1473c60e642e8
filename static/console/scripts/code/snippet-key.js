// <snippet-key>: puts the once-shown key into the snippets. It stays in this tab only; signing out forgets it.
const PREFIX = "engram.key.";

class SnippetKey extends HTMLElement {
  connectedCallback() {
    this.name = PREFIX + this.dataset.project;
    if (this.dataset.key) sessionStorage.setItem(this.name, this.dataset.key);
    this.key = sessionStorage.getItem(this.name);
    this.dataset.state = this.key ? "done" : "idle";
    if (this.key) this.fill();
    this.addEventListener("change", (event) => {
      if (event.target.matches("[data-mask]")) this.classList.toggle("is-masked", event.target.checked);
    });
  }

  fill() {
    for (const slot of this.querySelectorAll("[data-slot=key]")) {
      if ("value" in slot) slot.value = this.key;
      else slot.textContent = this.key;
      slot.dataset.state = "done";
    }
    for (const part of this.querySelectorAll("[data-when]")) part.hidden = part.dataset.when !== "key";
  }
}

customElements.define("snippet-key", SnippetKey);
