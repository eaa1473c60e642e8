// A notice that was read can be put away for a day; a cookie tells the server.
const DAY = 86400;

class NoticeBar extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector("button");
    button.hidden = false;
    button.addEventListener("click", () => {
      const secure = location.protocol === "https:" ? "; secure" : "";
      document.cookie = `notice=${this.dataset.name}; path=/; max-age=${DAY}; samesite=lax${secure}`;
      this.remove();
    });
  }
}

customElements.define("notice-bar", NoticeBar);
