// <modal-dialog>: opens its <dialog> as soon as it is swapped into #dialog, asks for the typed word, gives focus back on close.
class ModalDialog extends HTMLElement {
  connectedCallback() {
    this.dialog = this.querySelector("dialog");
    this.querySelector("[data-expect]")?.addEventListener("input", () => this.check());
    this.check();
    if (this.closest("#dialog")) this.open(); // elsewhere it is the content of its own page
  }

  open() {
    const menu = document.activeElement?.closest("[popover]"); // closed by now, or by the dialog
    this.invoker = menu ? document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`) : document.activeElement;
    this.dialog.removeAttribute("open");
    this.dialog.showModal();
    (this.querySelector("[aria-invalid=true]") ?? this.querySelector("[autofocus]"))?.focus();
    // htmx would give it the focus again when it settles, while somebody types elsewhere already.
    this.querySelector("[autofocus]")?.removeAttribute("autofocus");
    this.dialog.addEventListener("close", () => this.closed());
    this.dialog.addEventListener("click", (event) => this.clicked(event));
  }

  clicked(event) {
    const leaves = event.target === this.dialog || event.target.closest("[data-close]");
    if (!leaves) return;
    event.preventDefault(); // the link beside it is for pages without scripts
    this.dialog.close();
  }

  check() {
    const field = this.querySelector("[data-expect]");
    if (field) this.querySelector("[data-guarded]").disabled = field.value.trim() !== field.dataset.expect;
  }

  closed() {
    if (!this.isConnected) return;
    this.remove();
    const next = this.invoker?.isConnected ? this.invoker : document.querySelector("main"); // a row that is gone
    next?.focus({ preventScroll: next !== this.invoker });
  }
}

customElements.define("modal-dialog", ModalDialog);

document.body.addEventListener("dialog-done", () => document.querySelector("modal-dialog dialog")?.close());
