// <copy-button for="id"> or <copy-button value="text">: copies and says so for two seconds.
class CopyButton extends HTMLElement {
  connectedCallback() {
    this.button = this.querySelector("button");
    this.button.addEventListener("click", () => this.copy());
  }

  text() {
    const source = this.hasAttribute("for") ? document.getElementById(this.getAttribute("for")) : null;
    if (!source) return this.getAttribute("value") ?? "";
    return "value" in source ? source.value : source.textContent;
  }

  async copy() {
    await navigator.clipboard.writeText(this.text().trimEnd());
    this.dataset.state = "done";
    this.tip?.remove();
    this.tip = document.createElement("span");
    this.tip.className = "tip";
    this.tip.setAttribute("role", "status");
    this.append(this.tip);
    this.tip.textContent = this.dataset.done;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      delete this.dataset.state;
      this.tip.remove();
    }, 2000);
  }
}

customElements.define("copy-button", CopyButton);
