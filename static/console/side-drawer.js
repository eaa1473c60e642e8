// <side-drawer>: the open row beside its list. Esc and the close link empty it and put the address back.
class SideDrawer extends HTMLElement {
  connectedCallback() {
    this.panel = this.querySelector(".drawer");
    this.invoker = document.activeElement?.closest("a[data-opens]");
    this.addEventListener("click", (event) => {
      if (!event.target.closest("[data-close]")) return;
      event.preventDefault();
      this.close();
    });
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.close();
    });
    this.mark(true);
    this.panel.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    if (document.querySelector("side-drawer")?.dataset.id !== this.dataset.id) this.mark(false);
  }

  mark(on) {
    const row = document.querySelector(`tr[data-id="${this.dataset.id}"]`);
    if (row) row.dataset.open = String(on);
  }

  close() {
    const address = new URL(location.href);
    address.searchParams.delete("open");
    address.searchParams.delete("view");
    history.pushState({ htmx: true }, "", address); // so that "back" is htmx's to restore
    this.remove();
    this.invoker?.focus();
  }
}

customElements.define("side-drawer", SideDrawer);

document.body.addEventListener("drawer-done", () => document.querySelector("side-drawer")?.close());
