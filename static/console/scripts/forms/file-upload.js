// <file-upload>: one file on its way from the browser, with its progress, cancel and retry. Lives in a <drop-zone>.
// What the server refuses is said in the server's own words.
const SHOWN_AFTER = 4000;

class FileUpload extends HTMLElement {
  begin(zone, file, type) {
    Object.assign(this, { zone, file, type });
    this.bar = this.querySelector("progress");
    this.querySelector("[data-name]").textContent = file.name;
    this.querySelector("[data-size]").textContent = this.size();
    this.bar.setAttribute("aria-label", file.name);
    for (const [name, act] of [["cancel", () => this.cancel()], ["retry", () => this.retry()], ["dismiss", () => zone.drop(this)]]) {
      const button = this.querySelector(`[data-${name}]`);
      button.setAttribute("aria-label", `${button.getAttribute("aria-label")} ${file.name}`);
      button.addEventListener("click", act);
    }
    this.become("waiting", zone.dataset.sayWaiting);
  }

  size() {
    const { size } = this.file; // written as the server writes it in the list of files
    if (size >= 1024 ** 2) return `${(size / 1024 ** 2).toFixed(1)}\u00a0MB`;
    if (size >= 1024) return `${(size / 1024).toFixed(1)}\u00a0KB`;
    return new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "byte", unitDisplay: "long" }).format(size);
  }

  // Buttons belong to states; where the one that had the focus goes, the row takes it.
  become(state, said, canRetry = false) {
    const hadFocus = this.contains(document.activeElement);
    this.state = this.dataset.state = state;
    this.querySelector("[data-said]").textContent = said;
    this.bar.hidden = !["waiting", "sending", "storing"].includes(state);
    this.querySelector("[data-cancel]").hidden = this.bar.hidden;
    this.querySelector("[data-retry]").hidden = !canRetry;
    this.querySelector("[data-dismiss]").hidden = !this.bar.hidden;
    if (hadFocus) this.focus();
    if (this.bar.hidden) this.zone.announce(`${this.file.name}: ${said}`);
  }

  send() {
    const { zone } = this;
    const body = new FormData();
    body.append("type", this.type);
    for (const field of zone.form.querySelectorAll("[data-upload-fields] input")) body.append(field.name, field.value);
    body.append("files", this.file, this.file.name);
    this.request = new XMLHttpRequest();
    this.request.open("POST", zone.form.action);
    this.request.setRequestHeader("Accept", "application/json");
    this.request.setRequestHeader("X-CSRFToken", document.querySelector('meta[name="csrf-token"]').content);
    this.request.upload.addEventListener("progress", (event) => this.progressed(event));
    this.request.addEventListener("load", () => this.answered());
    for (const name of ["error", "timeout"]) this.request.addEventListener(name, () => this.fail(zone.dataset.sayOffline, true));
    this.bar.value = 0;
    this.become("sending", zone.dataset.saySending);
    this.request.send(body);
  }

  progressed({ loaded, total }) {
    if (this.state !== "sending" && this.state !== "storing") return;
    const percent = Math.round((100 * loaded) / total);
    this.bar.value = percent;
    if (loaded < total) this.querySelector("[data-said]").textContent = `${this.zone.dataset.saySending} ${percent}%`;
    else this.become("storing", this.zone.dataset.sayStoring);
  }

  answered() {
    const { status } = this.request;
    const answer = this.answer();
    if (status < 300 && answer.files) return this.done(answer);
    const lost = this.lostSession();
    if (lost) document.body.dispatchEvent(new CustomEvent(lost));
    const reason = [answer.message, answer.remedy].filter(Boolean).join(" ") || this.zone.dataset.sayFailed;
    this.fail(reason, Boolean(lost) || status === 429 || status >= 500);
  }

  // What the page has to know where it was signed out, or signed in anew in another tab: the file can be sent again then.
  lostSession() {
    const signIn = document.querySelector("[data-connection]").dataset.signIn;
    if (new URL(this.request.responseURL).pathname === signIn) return "signed-out";
    return this.request.getResponseHeader("X-Form-Expired") ? "form-expired" : "";
  }

  answer() {
    try {
      return JSON.parse(this.request.responseText);
    } catch {
      return {}; // a page of the proxy before us: its status says enough
    }
  }

  done(answer) {
    this.become("done", answer.message);
    document.body.dispatchEvent(new CustomEvent(this.zone.dataset.changed ?? "kbfile-changed"));
    setTimeout(() => this.matches(":hover, :focus-within") || this.zone.drop(this), SHOWN_AFTER);
    this.zone.next();
  }

  fail(reason, canRetry = false) {
    this.become("failed", reason, canRetry);
    this.zone.next();
  }

  cancel() {
    if (this.state !== "waiting") this.request.abort();
    this.become("cancelled", this.zone.dataset.sayCancelled, true);
    this.zone.next();
  }

  retry() {
    this.become("waiting", this.zone.dataset.sayWaiting);
    this.zone.next();
  }
}

customElements.define("file-upload", FileUpload);
