// <side-drawer>: the open row beside its list. Esc and the close link empty it and put the address back.
const PLACE = "drawer";
// It shows what was asked for last, in whatever order the answers come, and nothing once it was closed.
let awaited = null;
// What it shows, or what is on its way to it, may have been read before the last change.
let isStale = false;

document.body.addEventListener("htmx:beforeSend", ({ detail: { target, requestConfig, xhr } }) => {
  if (target.id !== PLACE) return;
  awaited = requestConfig;
  // The request tells its end even where the element that asked is gone by then.
  xhr.addEventListener("loadend", () => {
    if (awaited === requestConfig) awaited = null;
    if (!awaited && isStale) readAgain();
  });
});
document.body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  if (detail.target.id !== PLACE || detail.requestConfig === awaited) return;
  detail.shouldSwap = false;
  if (detail.requestConfig.verb !== "get") changed();
});

document.body.addEventListener("memory-moved", changed);

function changed() {
  isStale = true;
  if (!awaited) readAgain();
}

function readAgain() {
  isStale = false;
  const drawer = document.querySelector("side-drawer");
  // What somebody types stays; saving it says that something else was saved meanwhile.
  if (!drawer || drawer.querySelector("guarded-form")?.isChanged()) return;
  // Not from the place itself, upon which changes wait for one another (hx-sync).
  htmx.ajax("GET", drawer.dataset.shown, { source: drawer, target: `#${PLACE}`, swap: "innerHTML" });
}

class SideDrawer extends HTMLElement {
  connectedCallback() {
    this.panel = this.querySelector(".drawer");
    // Another part of the same memory takes the place of this one: the person who opened it stays known, and the focus where it
    // was. htmx gives it back to what has an id, the panel takes it from what is gone.
    const before = [...document.querySelectorAll("side-drawer")].find((one) => one !== this);
    const isSame = before?.dataset.id === this.dataset.id;
    const focused = document.activeElement;
    this.invoker = isSame ? before.invoker : focused?.closest("a[data-opens]");
    this.addEventListener("click", (event) => {
      if (!event.target.closest("[data-close]")) return;
      event.preventDefault();
      this.close();
    });
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !document.querySelector("dialog[open]")) this.close();
    });
    this.mark(true);
    const stays = focused?.id && this.querySelector(`#${CSS.escape(focused.id)}`);
    if (!isSame || (before.contains(focused) && !stays)) this.panel.focus({ preventScroll: true });
  }

  disconnectedCallback() {
    if (document.querySelector("side-drawer")?.dataset.id !== this.dataset.id) this.mark(false);
  }

  row() {
    return document.querySelector(`tr[data-id="${this.dataset.id}"]`);
  }

  mark(on) {
    const row = this.row();
    if (row) row.dataset.open = String(on);
  }

  close() {
    awaited = null;
    const address = new URL(location.href);
    address.searchParams.delete("open");
    address.searchParams.delete("view");
    history.pushState({ htmx: true }, "", address); // so that "back" is htmx's to restore
    this.remove();
    (this.invoker ?? this.row()?.querySelector("a[data-opens]") ?? document.querySelector("main")).focus();
  }
}

customElements.define("side-drawer", SideDrawer);

document.body.addEventListener("drawer-done", () => document.querySelector("side-drawer")?.close());
