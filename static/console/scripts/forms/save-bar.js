// <save-bar>: one bar for the forms with data-saved inside it. It appears when one of them differs from what is saved,
// names them, saves or discards all, and asks before the page is left. Without scripts each form has a button of its own.
class SaveBar extends HTMLElement {
  connectedCallback() {
    this.bar = this.querySelector(".save-bar");
    this.controller = new AbortController();
    const { signal } = this.controller;
    addEventListener("hashchange", () => this.mark(), { signal });
    this.mark();
    if (!this.bar) return;
    this.saved = new WeakMap();
    this.note();
    this.addEventListener("input", () => this.look());
    this.addEventListener("htmx:load", () => { this.note(); this.look(); });
    this.bar.querySelector("[data-save-all]").addEventListener("click", () => this.save());
    this.bar.querySelector("[data-discard]").addEventListener("click", () => this.discard());
    addEventListener("beforeunload", (event) => this.changed().length && event.preventDefault(), { signal });
  }

  disconnectedCallback() {
    this.controller.abort();
  }

  get forms() {
    return [...this.querySelectorAll("form[data-saved]")];
  }

  // What a form holds when it is drawn is what is saved, unless it came back with errors.
  note() {
    for (const form of this.forms) {
      if (this.saved.has(form)) continue;
      this.saved.set(form, form.querySelector(".form-errors, .error") ? "" : this.content(form));
    }
  }

  content(form) {
    return new URLSearchParams(new FormData(form)).toString();
  }

  changed() {
    return this.forms.filter((form) => this.content(form) !== this.saved.get(form));
  }

  look() {
    const changed = this.changed();
    const hadFocus = this.bar.contains(document.activeElement);
    this.bar.hidden = changed.length === 0;
    if (hadFocus && this.bar.hidden) document.querySelector("main").focus({ preventScroll: true });
    const titles = changed.map((form) => form.closest("[data-title]").dataset.title);
    this.bar.querySelector("[data-where]").textContent = titles.join(", ");
  }

  save() {
    const wrong = this.changed().find((form) => !form.checkValidity());
    if (wrong) {
      location.hash = wrong.closest("[data-title]").id; // a field that is not shown cannot say what is wrong
      wrong.reportValidity();
      return;
    }
    for (const form of this.changed()) form.requestSubmit();
  }

  discard() {
    const refused = this.changed().some((form) => !this.saved.get(form));
    for (const form of this.changed()) {
      form.reset();
      this.saved.set(form, this.content(form));
    }
    if (refused) location.reload(); // its fields were drawn with what was refused
    this.look();
  }

  mark() {
    const target = location.hash ? document.getElementById(location.hash.slice(1)) : undefined;
    const panel = target?.closest(".settings-panel") ?? this.querySelector(".settings-panel");
    const name = panel.querySelector("[data-title]").id;
    for (const link of this.querySelectorAll(".settings-nav a")) {
      if (link.hash === `#${name}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }
}

customElements.define("save-bar", SaveBar);
