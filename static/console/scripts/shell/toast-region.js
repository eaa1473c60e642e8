// <toast-region>: shows the body event "toast" {text, kind, undo}. Undo posts to its address and asks lists to refresh.
class ToastRegion extends HTMLElement {
  connectedCallback() {
    document.body.addEventListener("toast", (event) => this.show(event.detail));
    for (const toast of this.querySelectorAll(".toast")) this.live(toast);
  }

  show({ text, kind = "ok", undo = "" }) {
    if ([...this.querySelectorAll(".toast span")].some((said) => said.textContent === text)) return; // said already
    const toast = this.querySelector(`template[data-kind="${kind === "bad" ? "bad" : "ok"}"]`).content.firstElementChild.cloneNode(true);
    toast.querySelector("span").textContent = text;
    const button = toast.querySelector("[data-undo]");
    button.hidden = !undo;
    button.addEventListener("click", () => {
      htmx.ajax("POST", undo, { source: document.body, swap: "none" });
      toast.remove();
    });
    this.append(toast);
    this.live(toast);
  }

  live(toast) {
    const close = () => toast.remove();
    toast.querySelector("[data-close]").addEventListener("click", close);
    let timer = setTimeout(close, 10000);
    toast.addEventListener("pointerenter", () => clearTimeout(timer));
    toast.addEventListener("pointerleave", () => { timer = setTimeout(close, 4000); });
  }
}

customElements.define("toast-region", ToastRegion);
