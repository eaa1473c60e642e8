// <date-slider>: a range beside a date field, one step a day. Without scripts the date field and its button do the same.
const DAY = 86_400_000;

class DateSlider extends HTMLElement {
  connectedCallback() {
    this.date = this.querySelector("input[type=date]");
    this.range = this.querySelector("input[type=range]");
    this.first = Date.parse(`${this.dataset.first}T00:00:00Z`);
    this.range.hidden = this.range.max === "0";
    this.querySelector("[data-apply]").hidden = true;
    // The form is sent when the range is let go of: its "change" reaches the form as the date's does.
    this.range.addEventListener("input", () => {
      this.date.value = new Date(this.first + Number(this.range.value) * DAY).toISOString().slice(0, 10);
      this.say();
    });
    this.date.addEventListener("change", () => {
      this.range.value = String((Date.parse(`${this.date.value}T00:00:00Z`) - this.first) / DAY);
      this.say();
    });
    this.say();
  }

  say() {
    this.range.setAttribute("aria-valuetext", this.date.value);
  }
}

customElements.define("date-slider", DateSlider);
