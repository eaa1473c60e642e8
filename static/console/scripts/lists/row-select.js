// <row-select>: page box, shift ranges, a bar with the count, and a selection that survives paging.
// The selection lives in this tab under data-key (the filter), so that a changed filter starts empty. It is the chosen rows,
// or all that match without the rows that were unticked since.
class RowSelect extends HTMLElement {
  connectedCallback() {
    this.key = `engram.rows.${this.dataset.key}`;
    const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "{}");
    this.everything = Boolean(kept.everything);
    this.chosen = new Set(kept.chosen);
    this.excluded = new Set(kept.excluded);
    this.addEventListener("click", (event) => this.clicked(event));
    this.restore();
    this.paint();
  }

  boxes() {
    return [...this.querySelectorAll("input[data-row]")];
  }

  restore() {
    for (const box of this.boxes()) {
      if (this.everything) box.checked = !this.excluded.has(box.value);
      else if (this.chosen.has(box.value)) box.checked = true;
      else if (box.checked) this.chosen.add(box.value);
    }
  }

  clicked(event) {
    if (event.target.matches("[data-page]")) this.selectPage(event.target.checked);
    else if (event.target.matches("[data-row]")) this.selectRow(event.target, event.shiftKey);
    else if (event.target.closest("[data-all]")) this.selectAll();
    else if (event.target.closest("[data-clear]")) this.clear();
    else return;
    this.paint();
  }

  selectPage(on) {
    if (this.everything && !on) this.clear();
    else for (const box of this.boxes()) this.set(box, on);
  }

  selectRow(box, range) {
    const boxes = this.boxes();
    const here = boxes.indexOf(box);
    const from = range && this.last !== undefined ? this.last : here;
    for (const one of boxes.slice(Math.min(from, here), Math.max(from, here) + 1)) this.set(one, box.checked);
    this.last = here;
  }

  selectAll() {
    this.clear();
    this.everything = true;
    this.restore();
  }

  clear() {
    this.everything = false;
    this.chosen.clear();
    this.excluded.clear();
    for (const box of this.boxes()) box.checked = false;
  }

  set(box, on) {
    box.checked = on;
    const changed = this.everything ? this.excluded : this.chosen;
    if (on === this.everything) changed.delete(box.value);
    else changed.add(box.value);
  }

  paint() {
    const total = Number(this.dataset.total);
    if (this.everything && this.excluded.size >= total) this.clear();
    const boxes = this.boxes();
    const ticked = boxes.filter((box) => box.checked);
    for (const box of boxes) box.closest("tr").setAttribute("aria-selected", String(box.checked));
    const page = this.querySelector("[data-page]");
    page.checked = boxes.length > 0 && ticked.length === boxes.length;
    page.indeterminate = ticked.length > 0 && !page.checked;
    const count = this.everything ? total - this.excluded.size : this.chosen.size;
    const bar = this.querySelector("[data-bar]");
    const hadFocus = bar.contains(document.activeElement);
    bar.hidden = count === 0;
    if (hadFocus && bar.hidden) document.querySelector("main").focus({ preventScroll: true });
    this.querySelector("[data-said]").textContent = this.dataset.said.replace("{n}", count.toLocaleString(document.documentElement.lang));
    this.querySelector("[data-all]").hidden = total <= count || !(this.everything || page.checked);
    this.querySelector("[data-everything]").disabled = !this.everything;
    this.carry(new Set(boxes.map((box) => box.value)));
    const { everything } = this;
    sessionStorage.setItem(this.key, JSON.stringify({ everything, chosen: [...this.chosen], excluded: [...this.excluded] }));
  }

  // Rows chosen on other pages, and those that were unticked, travel as hidden fields of the same form.
  carry(here) {
    const hidden = (name) => (value) => Object.assign(document.createElement("input"), { type: "hidden", name, value });
    const away = [...this.chosen].filter((id) => !here.has(id)).map(hidden("ids"));
    this.querySelector("[data-away]").replaceChildren(...away, ...[...this.excluded].map(hidden("excluded")));
  }
}

customElements.define("row-select", RowSelect);

// What was deleted must not stay chosen under any filter.
document.body.addEventListener("selection-spent", () => {
  for (const list of document.querySelectorAll("row-select")) {
    list.clear();
    list.paint();
  }
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("engram.rows.")) sessionStorage.removeItem(key);
});
