// <command-palette>: a search over the project in a dialog. Arrow keys move the focus through the results, which are links.
class CommandPalette extends HTMLElement {
  connectedCallback() {
    this.dialog = this.querySelector("dialog");
    this.field = this.querySelector("input");
    this.controller = new AbortController();
    const { signal } = this.controller;
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    document.addEventListener("click", (event) => this.clicked(event), { signal });
    this.dialog.addEventListener("keydown", (event) => this.moved(event));
    this.querySelector("form").addEventListener("submit", (event) => this.submitted(event));
  }

  disconnectedCallback() {
    this.controller.abort();
  }

  open() {
    if (document.querySelector("dialog:modal")) return;
    this.dialog.showModal();
    this.field.select();
    this.field.dispatchEvent(new Event("palette-open"));
  }

  pressed(event) {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    if (this.dialog.open) this.dialog.close();
    else this.open();
  }

  clicked(event) {
    if (event.target === this.dialog) this.dialog.close();
    if (event.button || event.ctrlKey || event.metaKey || !event.target.closest?.("[data-palette]")) return;
    event.preventDefault(); // the link is for browsers without scripts
    this.open();
  }

  links() {
    return [...this.querySelectorAll("#palette-found a")];
  }

  moved(event) {
    if (event.key === "Escape") {
      event.preventDefault(); // a search field would only be emptied
      this.dialog.close();
      return;
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const stops = [this.field, ...this.links()];
    const next = stops.indexOf(document.activeElement) + step;
    stops[(next + stops.length) % stops.length].focus();
  }

  submitted(event) {
    const [first] = this.links();
    if (!first || this.field.matches(".htmx-request")) return; // the page of results then
    event.preventDefault();
    first.click();
  }
}

customElements.define("command-palette", CommandPalette);
