// <key-shortcuts>: single keys, while nobody types and no dialog is open. They can be turned off in the dialog that "?" opens.
const STORED = "engram.shortcuts";
const WAIT = 1500; // milliseconds between "g" and the letter of a page
const TYPED_IN = "input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable]";

class KeyShortcuts extends HTMLElement {
  connectedCallback() {
    this.dialog = this.querySelector("dialog");
    this.controller = new AbortController();
    const { signal } = this.controller;
    document.addEventListener("keydown", (event) => this.pressed(event), { signal });
    document.addEventListener("click", (event) => this.clicked(event), { signal });
    const box = this.querySelector("[data-enabled]");
    box.checked = this.isOn();
    box.addEventListener("change", () => localStorage.setItem(STORED, box.checked ? "on" : "off"));
  }

  disconnectedCallback() {
    this.controller.abort();
  }

  isOn() {
    return localStorage.getItem(STORED) !== "off";
  }

  clicked({ target }) {
    if (target === this.dialog || target.closest?.("#shortcuts [data-close]")) this.dialog.close();
    if (!target.closest?.("[data-shortcuts]")) return;
    document.querySelector("#member:popover-open")?.hidePopover();
    this.dialog.showModal();
  }

  pressed(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (!this.isOn() || event.target.closest?.(TYPED_IN) || document.querySelector("dialog:modal")) return;
    if (this.run(event.key)) event.preventDefault();
  }

  run(key) {
    const isGoing = Date.now() - (this.going ?? 0) < WAIT;
    this.going = key === "g" && !isGoing ? Date.now() : 0;
    if (isGoing) return this.go(key);
    switch (key) {
      case "?":
        this.dialog.showModal();
        return true;
      case "/":
        return this.search();
      case "j":
        return this.step(1);
      case "k":
        return this.step(-1);
      case "x":
        return this.press(this.row()?.querySelector("input[data-row]"));
      case "y":
        return this.copy();
      case "[":
        return this.turn(-1);
      case "]":
        return this.turn(1);
      default:
        return this.press(document.querySelector(`side-drawer [data-shortcut="${CSS.escape(key)}"]`));
    }
  }

  go(key) {
    return this.press(document.querySelector(`.side a[data-go="${CSS.escape(key)}"]`));
  }

  press(element) {
    element?.click();
    return Boolean(element);
  }

  search() {
    const field = document.querySelector("main input[type=search]") ?? null;
    if (!field) return this.press(document.querySelector("[data-palette]"));
    field.focus();
    return true;
  }

  row() {
    return document.activeElement?.closest("main tbody tr");
  }

  step(by) {
    // Not those of a chart's table, which is folded away above the list.
    const rows = [...document.querySelectorAll("main tbody tr")].filter((row) => row.checkVisibility() && row.querySelector("a"));
    const at = rows.indexOf(this.row());
    const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
    (next?.querySelector(".row-link") ?? next?.querySelector("a"))?.focus();
    return Boolean(next);
  }

  // The row before or behind the one that is open beside the list.
  turn(by) {
    const open = document.querySelector("side-drawer")?.dataset.id;
    const rows = [...document.querySelectorAll("main tbody tr[data-id]")];
    const at = rows.findIndex((row) => row.dataset.id === open);
    return at >= 0 && this.press(rows[at + by]?.querySelector("a[data-opens]"));
  }

  copy() {
    const id = this.row()?.dataset.id ?? document.querySelector("side-drawer")?.dataset.id;
    if (!id) return false;
    customElements.get("copy-button").write(id).then((isCopied) => {
      const detail = isCopied ? { text: this.dataset.copied } : { text: document.body.dataset.copyFailed, kind: "bad" };
      document.body.dispatchEvent(new CustomEvent("toast", { detail }));
    });
    return true;
  }
}

customElements.define("key-shortcuts", KeyShortcuts);
