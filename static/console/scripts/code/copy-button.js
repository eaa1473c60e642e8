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

  // Over plain HTTP from another machine scripts have no clipboard, and browsers may refuse it: then as a selection is copied.
  static async write(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return CopyButton.writeSelected(text);
    }
  }

  static writeSelected(text) {
    const focused = document.activeElement;
    const field = Object.assign(document.createElement("textarea"), { value: text, className: "visually-hidden", readOnly: true });
    // What is beside a modal dialog cannot be selected.
    (document.querySelector("dialog:modal") ?? document.body).append(field);
    field.select();
    const isCopied = document.execCommand("copy");
    field.remove();
    focused?.focus({ preventScroll: true });
    return isCopied;
  }

  async copy() {
    const isCopied = await CopyButton.write(this.text().trimEnd());
    this.dataset.state = isCopied ? "done" : "failed";
    this.tip?.remove();
    this.tip = document.createElement("span");
    this.tip.className = "tip";
    this.tip.setAttribute("role", "status");
    this.append(this.tip);
    this.tip.textContent = isCopied ? this.dataset.done : document.body.dataset.copyFailed;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      delete this.dataset.state;
      this.tip.remove();
    }, 2000);
  }
}

customElements.define("copy-button", CopyButton);
