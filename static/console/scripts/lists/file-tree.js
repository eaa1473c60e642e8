// <file-tree>: the keys of a tree. Up and Down go from row to row, Right opens a folder or enters it, Left closes it or
// goes to its folder, Home and End to the ends, a letter to the next row that begins with it. Rows are links and folders.
class FileTree extends HTMLElement {
  connectedCallback() {
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("focusin", (event) => this.rove(event.target.closest("[role=treeitem]")));
    this.closed = new Set();
    this.settled = () => this.settle();
    document.body.addEventListener("htmx:afterSettle", this.settled);
    this.rove(this.querySelector('[aria-selected="true"]') ?? this.rows()[0]);
  }

  disconnectedCallback() {
    document.body.removeEventListener("htmx:afterSettle", this.settled);
  }

  // A refreshed page brings every folder open and every row into the order of focus.
  settle() {
    for (const row of this.querySelectorAll("[data-folder]")) if (this.closed.has(row.dataset.folder)) this.open(row, false);
    this.rove(this.querySelector("[role=treeitem]:focus") ?? this.querySelector('[aria-selected="true"]'));
  }

  rows() {
    return [...this.querySelectorAll("[role=treeitem]")].filter((row) => !row.closest('[role="group"][hidden]'));
  }

  // One row is in the order of the page's focus; the others are reached from it.
  rove(row) {
    if (!row) return;
    for (const one of this.querySelectorAll("[role=treeitem]")) one.tabIndex = one === row ? 0 : -1;
  }

  folder(row) {
    return row.closest("ul").parentElement?.querySelector(":scope > [role=treeitem]");
  }

  open(row, isOpen) {
    row.setAttribute("aria-expanded", String(isOpen));
    this.closed[isOpen ? "delete" : "add"](row.dataset.folder);
    row.nextElementSibling.hidden = !isOpen;
  }

  clicked(event) {
    const row = event.target.closest("[role=treeitem]");
    if (!row) return;
    if (row.hasAttribute("aria-expanded")) this.open(row, row.getAttribute("aria-expanded") !== "true");
    else this.select(row);
    this.rove(row);
  }

  select(row) {
    for (const one of this.querySelectorAll("a[role=treeitem]")) one.setAttribute("aria-selected", String(one === row));
  }

  pressed(event) {
    const row = event.target.closest("[role=treeitem]");
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const next = this.target(event.key, row, this.rows());
    if (next === undefined) return;
    event.preventDefault();
    next?.focus();
  }

  target(key, row, rows) {
    const at = rows.indexOf(row);
    const state = row.getAttribute("aria-expanded");
    if (key === "ArrowDown") return rows[at + 1] ?? null;
    if (key === "ArrowUp") return rows[at - 1] ?? null;
    if (key === "Home") return rows[0];
    if (key === "End") return rows.at(-1);
    if (key === "ArrowRight") return state === "false" ? (this.open(row, true), null) : state ? rows[at + 1] : null;
    if (key === "ArrowLeft") return state === "true" ? (this.open(row, false), null) : this.folder(row);
    if (key === "Enter" || key === " ") return row.click(), null;
    if (key.length !== 1) return undefined;
    const from = [...rows.slice(at + 1), ...rows.slice(0, at)];
    return from.find((one) => one.textContent.trim().toLowerCase().startsWith(key.toLowerCase())) ?? null;
  }
}

customElements.define("file-tree", FileTree);
