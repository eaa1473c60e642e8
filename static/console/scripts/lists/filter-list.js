// <filter-list>: a search field narrows the items below it by their text.
class FilterList extends HTMLElement {
  connectedCallback() {
    const field = this.querySelector("input");
    field.addEventListener("input", () => this.narrow(field.value.trim().toLowerCase()));
    this.closest("[popover]")?.addEventListener("toggle", (event) => {
      if (event.newState !== "open") return;
      field.value = "";
      this.narrow("");
      field.focus();
    });
  }

  narrow(words) {
    let shown = 0;
    for (const item of this.querySelectorAll("[data-text]")) {
      item.hidden = !item.dataset.text.toLowerCase().includes(words);
      shown += item.hidden ? 0 : 1;
    }
    for (const group of this.querySelectorAll("[data-group]")) group.hidden = !group.querySelector("[data-text]:not([hidden])");
    this.querySelector("[data-none]").hidden = shown > 0;
  }
}

customElements.define("filter-list", FilterList);
