// <code-tabs>: titled panels become tabs (a select on phones). The choice is remembered for every block on the site.
const KEY = "engram.code-tab";

class CodeTabs extends HTMLElement {
  connectedCallback() {
    if (this.hasAttribute("data-ready")) return;
    this.panels = [...this.querySelectorAll(".code-panel")];
    this.list = this.querySelector("[role=tablist]");
    this.choice = this.querySelector(".code-choice");
    this.panels.forEach((panel) => this.addTab(panel));
    this.list.addEventListener("keydown", (event) => this.move(event));
    this.choice.addEventListener("change", () => this.choose(this.choice.value));
    document.addEventListener("code-tab", (event) => this.show(event.detail));
    this.setAttribute("data-ready", "");
    this.show(localStorage.getItem(KEY)) || this.show(this.panels[0].dataset.tab);
  }

  addTab(panel) {
    const name = panel.dataset.tab;
    const tab = document.createElement("button");
    Object.assign(tab, { type: "button", textContent: panel.dataset.title, id: `${panel.id}-tab` });
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panel.id);
    tab.dataset.tab = name;
    tab.addEventListener("click", () => this.choose(name));
    this.list.append(tab);
    panel.setAttribute("role", "tabpanel");
    panel.setAttribute("aria-labelledby", tab.id);
    this.choice.add(new Option(panel.dataset.title, name));
  }

  choose(name) {
    localStorage.setItem(KEY, name);
    document.dispatchEvent(new CustomEvent("code-tab", { detail: name }));
  }

  show(name) {
    if (!this.panels.some((panel) => panel.dataset.tab === name)) return false;
    for (const panel of this.panels) panel.hidden = panel.dataset.tab !== name;
    for (const tab of this.list.children) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === name));
      tab.tabIndex = tab.dataset.tab === name ? 0 : -1;
    }
    this.choice.value = name;
    return true;
  }

  move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const tabs = [...this.list.children];
    const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length);
    next.focus();
    this.choose(next.dataset.tab);
    event.preventDefault();
  }
}

customElements.define("code-tabs", CodeTabs);
