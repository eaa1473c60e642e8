// <row-select>: page box, shift ranges, a bar with the count, and a selection that survives paging.
// The selection lives in this tab under data-key (the filter), so that a changed filter starts empty.
class RowSelect extends HTMLElement {
  connectedCallback() {
    this.key = `engram.rows.${this.dataset.key}`;
    this.chosen = new Set(JSON.parse(sessionStorage.getItem(this.key) ?? "[]"));
    this.addEventListener("click", (event) => this.clicked(event));
    this.restore();
    this.paint();
  }

  boxes() {
    return [...this.querySelectorAll("input[data-row]")];
  }

  restore() {
    for (const box of this.boxes()) {
      if (this.chosen.has(box.value)) box.checked = true;
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
    this.everything = false;
    for (const box of this.boxes()) this.set(box, on);
  }

  selectRow(box, range) {
    this.everything = false;
    const boxes = this.boxes();
    const here = boxes.indexOf(box);
    const from = range && this.last !== undefined ? this.last : here;
    for (const one of boxes.slice(Math.min(from, here), Math.max(from, here) + 1)) this.set(one, box.checked);
    this.last = here;
  }

  selectAll() {
    this.selectPage(true);
    this.everything = true;
  }

  clear() {
    this.selectPage(false);
    this.chosen.clear();
  }

  set(box, on) {
    box.checked = on;
    if (on) this.chosen.add(box.value);
    else this.chosen.delete(box.value);
  }

  paint() {
    const boxes = this.boxes();
    const ticked = boxes.filter((box) => box.checked);
    for (const box of boxes) box.closest("tr").setAttribute("aria-selected", String(box.checked));
    const page = this.querySelector("[data-page]");
    page.checked = boxes.length > 0 && ticked.length === boxes.length;
    page.indeterminate = ticked.length > 0 && !page.checked;
    const total = Number(this.dataset.total);
    const count = this.everything ? total : this.chosen.size;
    const bar = this.querySelector("[data-bar]");
    const hadFocus = bar.contains(document.activeElement);
    bar.hidden = count === 0;
    if (hadFocus && bar.hidden) document.querySelector("main").focus({ preventScroll: true });
    this.querySelector("[data-said]").textContent = this.dataset.said.replace("{n}", count.toLocaleString(document.documentElement.lang));
    this.querySelector("[data-all]").hidden = this.everything || !page.checked || total <= count;
    this.querySelector("[data-everything]").disabled = !this.everything;
    this.carry(new Set(boxes.map((box) => box.value)));
    sessionStorage.setItem(this.key, JSON.stringify([...this.chosen]));
  }

  // Rows chosen on other pages travel as hidden fields of the same form.
  carry(here) {
    const away = this.querySelector("[data-away]");
    away.replaceChildren(
      ...[...this.chosen].filter((id) => !here.has(id)).map((id) => {
        return Object.assign(document.createElement("input"), { type: "hidden", name: "ids", value: id });
      }),
    );
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
