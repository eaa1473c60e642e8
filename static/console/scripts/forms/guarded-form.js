// <guarded-form>: what was typed is not lost by leaving, and Save is there only when something changed and is valid.
// A field with data-json must hold an object; data-say-json says so where it does not.
class GuardedForm extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.fields = [...this.form.querySelectorAll("textarea[data-compare], input[data-compare], select[data-compare]")];
    this.form.addEventListener("input", () => this.look());
    this.form.addEventListener("submit", () => { this.isLeaving = true; });
    this.form.addEventListener("htmx:beforeRequest", (event) => { this.isLeaving = event.target === this.form || this.isLeaving; });
    this.form.addEventListener("htmx:afterRequest", (event) => { if (event.target === this.form && !event.detail.successful) this.isLeaving = false; });
    this.guard = (event) => this.isChanged() && !this.isLeaving && event.preventDefault();
    addEventListener("beforeunload", this.guard);
    this.look();
  }

  disconnectedCallback() {
    removeEventListener("beforeunload", this.guard);
  }

  isChanged() {
    return this.fields.some((field) => field.value.replaceAll("\r\n", "\n") !== field.dataset.compare.replaceAll("\r\n", "\n"));
  }

  fault(field) {
    if (!("json" in field.dataset) || !field.value.trim()) return "";
    try {
      const value = JSON.parse(field.value);
      return value && typeof value === "object" && !Array.isArray(value) ? "" : field.dataset.sayJson;
    } catch (error) {
      return `${field.dataset.sayJson} ${error.message}`;
    }
  }

  look() {
    let isValid = true;
    for (const field of this.fields) {
      const fault = this.fault(field);
      isValid &&= !fault;
      if (!("json" in field.dataset)) continue;
      field.toggleAttribute("aria-invalid", Boolean(fault));
      if (fault) field.setAttribute("aria-invalid", "true");
      const said = document.getElementById(`${field.id}-fault`);
      if (said) [said.textContent, said.hidden] = [fault, !fault];
    }
    for (const button of this.form.querySelectorAll("[data-save]")) button.disabled = !isValid || (this.fields.length > 0 && !this.isChanged());
  }
}

customElements.define("guarded-form", GuardedForm);
