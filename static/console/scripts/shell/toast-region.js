// <toast-region>: shows the body event "toast" {text, kind, undo}. Undo posts to its address and asks lists to refresh.
class ToastRegion extends HTMLElement {
  connectedCallback() {
    document.body.addEventListener("toast", (event) => this.show(event.detail));
    for (const toast of this.querySelectorAll(".toast")) this.live(toast);
  }

  show({ text, kind = "ok", undo = "" }) {
    // Said already. What can be undone is said of each change, or the Undo that is there would revert another one.
    if (!undo && [...this.querySelectorAll(".toast span")].some((said) => said.textContent === text)) return;
    const toast = this.querySelector(`template[data-kind="${kind === "bad" ? "bad" : "ok"}"]`).content.firstElementChild.cloneNode(true);
    toast.querySelector("span").textContent = text;
    const button = toast.querySelector("[data-undo]");
    button.hidden = !undo;
    button.addEventListener("click", () => {
      htmx.ajax("POST", undo, { source: document.body, swap: "none" });
      this.close(toast);
    });
    this.append(toast);
    this.live(toast);
  }

  // People who pressed a key in it go on in the page, not at its top.
  close(toast) {
    const hadFocus = toast.contains(document.activeElement);
    toast.remove();
    if (hadFocus) document.querySelector("main")?.focus({ preventScroll: true });
  }

  live(toast) {
    const close = () => this.close(toast);
    toast.querySelector("[data-close]").addEventListener("click", close);
    // It stays while somebody is at it, with the pointer or with the keyboard.
    let timer = setTimeout(close, 10000);
    const wait = () => clearTimeout(timer);
    const goOn = () => {
      clearTimeout(timer);
      if (!toast.matches(":hover, :focus-within")) timer = setTimeout(close, 4000);
    };
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, wait);
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, goOn);
  }
}

customElements.define("toast-region", ToastRegion);
