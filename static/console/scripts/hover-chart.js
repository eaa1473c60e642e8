// <hover-chart>: says the values of the column under the pointer, or chosen with the arrow keys. They are read from the
// table beside the chart, which stays the only place that holds words and numbers.
const MARGIN = 8;

class HoverChart extends HTMLElement {
  connectedCallback() {
    this.tip = document.createElement("div");
    this.tip.className = "chart-tip";
    this.tip.setAttribute("role", "status");
    this.tip.hidden = true;
    document.body.append(this.tip);
    this.addEventListener("pointermove", (event) => this.point(event));
    this.addEventListener("pointerdown", (event) => this.point(event));
    this.addEventListener("pointerleave", () => this.leave());
    this.addEventListener("focusout", () => this.leave());
    this.addEventListener("keydown", (event) => this.press(event));
    this.redraw = () => this.at !== undefined && this.show(this.at);
    document.body.addEventListener("htmx:afterSettle", this.redraw);
  }

  disconnectedCallback() {
    this.tip.remove();
    document.body.removeEventListener("htmx:afterSettle", this.redraw);
  }

  get columns() {
    return [...this.querySelectorAll("[data-column]")];
  }

  point(event) {
    const plot = event.target.closest("[data-plot]");
    if (!plot) return this.leave();
    const { left, width } = plot.getBoundingClientRect();
    this.show(Math.floor(((event.clientX - left) / width) * this.columns.length));
  }

  press(event) {
    if (!event.target.matches("[data-plot]")) return;
    const last = this.columns.length - 1;
    const steps = { ArrowLeft: (this.at ?? last + 1) - 1, ArrowRight: (this.at ?? -1) + 1, Home: 0, End: last };
    if (event.key === "Escape") this.leave();
    if (event.key === "Enter" && this.at !== undefined) this.querySelectorAll("tbody tr")[this.at].querySelector("a")?.click();
    if (!(event.key in steps)) return;
    event.preventDefault();
    this.show(steps[event.key]);
  }

  show(wanted) {
    const columns = this.columns;
    this.at = Math.min(Math.max(wanted, 0), columns.length - 1);
    columns.forEach((column, index) => column.toggleAttribute("data-active", index === this.at));
    this.fill();
    this.tip.hidden = false;
    this.place();
  }

  // The row of the table: what has no value in this column is left out, the sum stays.
  fill() {
    const heads = [...this.querySelectorAll("thead th")];
    const cells = [...this.querySelectorAll("tbody tr")[this.at].cells];
    const title = document.createElement("strong");
    title.textContent = cells[0].textContent;
    const rows = heads.slice(1).flatMap((head, index) => {
      const value = cells[index + 1].textContent;
      if (head.dataset.look && value === "0") return [];
      const row = document.createElement("span");
      const dot = document.createElement("i");
      dot.className = head.dataset.look ? `chart-dot ${head.dataset.look}` : "chart-dot";
      const name = document.createElement("span");
      name.textContent = head.textContent;
      const number = document.createElement("b");
      number.textContent = value;
      row.append(dot, name, number);
      return [row];
    });
    this.tip.replaceChildren(title, ...rows);
  }

  place() {
    const plot = this.querySelector("[data-plot]").getBoundingClientRect();
    const middle = plot.left + (plot.width * (this.at + 0.5)) / this.columns.length;
    const { width, height } = this.tip.getBoundingClientRect();
    const left = Math.min(Math.max(middle - width / 2, MARGIN), document.documentElement.clientWidth - width - MARGIN);
    this.tip.style.left = `${left}px`;
    this.tip.style.top = `${Math.max(plot.top - height - MARGIN, MARGIN)}px`;
  }

  leave() {
    this.at = undefined;
    this.tip.hidden = true;
    for (const column of this.columns) column.removeAttribute("data-active");
  }
}

customElements.define("hover-chart", HoverChart);
