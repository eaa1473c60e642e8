// <theme-switch>: three menu items. The choice is a cookie, so that the server renders the right theme at once.
class ThemeSwitch extends HTMLElement {
  connectedCallback() {
    this.addEventListener("click", (event) => {
      const item = event.target.closest("[data-theme-choice]");
      if (item) this.choose(item.dataset.themeChoice);
    });
    this.mark(document.documentElement.dataset.theme);
  }

  choose(theme) {
    document.documentElement.dataset.theme = theme;
    document.cookie = `theme=${theme}; path=/; max-age=31536000; samesite=lax`;
    this.mark(theme);
  }

  mark(theme) {
    for (const item of this.querySelectorAll("[data-theme-choice]")) {
      item.setAttribute("aria-checked", String(item.dataset.themeChoice === theme));
    }
  }
}

customElements.define("theme-switch", ThemeSwitch);
