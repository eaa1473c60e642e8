// <drop-zone>: files are dropped or picked, checked before anything is sent, and sent one by one with their progress.
// Each becomes a <file-upload> in the list. Words come from data-say-… attributes.
const AT_ONCE = 2;

class DropZone extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form");
    this.field = this.querySelector("input[type=file]");
    this.list = this.querySelector("[data-uploads]");
    this.rules = JSON.parse(this.dataset.rules);
    this.uploads = [];
    this.depth = 0;
    this.field.addEventListener("change", () => this.picked());
    this.form.addEventListener("change", () => this.typed());
    this.form.addEventListener("submit", (event) => this.field.files.length || event.preventDefault());
    for (const name of ["dragenter", "dragover", "dragleave", "drop"]) {
      this.addEventListener(name, (event) => this.dragged(event));
    }
    this.guard = (event) => this.pending().length && event.preventDefault();
    addEventListener("beforeunload", this.guard);
    this.typed();
  }

  disconnectedCallback() {
    removeEventListener("beforeunload", this.guard);
  }

  type() {
    return this.form.querySelector("[name=type]:checked, [name=type][type=hidden]").value;
  }

  // The picker offers, and the zone names, what the chosen type takes.
  typed() {
    this.field.accept = this.rules.types[this.type()].map((rule) => rule.suffix).join(",");
    for (const hint of this.querySelectorAll("[data-for-type]")) hint.hidden = hint.dataset.forType !== this.type();
  }

  picked() {
    this.take([...this.field.files]);
    this.field.value = "";
  }

  dragged(event) {
    if (this.field.disabled || !event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    this.depth += { dragenter: 1, dragleave: -1 }[event.type] ?? 0;
    if (event.type === "drop") {
      this.depth = 0;
      this.dropped(event.dataTransfer);
    }
    this.toggleAttribute("data-over", this.depth > 0);
  }

  dropped(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.());
    const isFolder = (index) => entries[index]?.isDirectory;
    this.take([...transfer.files].filter((_, index) => !isFolder(index)));
    [...transfer.files].forEach((file, index) => isFolder(index) && this.add(file, this.dataset.sayFolder));
  }

  // Of one choice, and of what still waits: so many files, so large, so large together.
  take(files) {
    let count = this.pending().length;
    let total = this.pending().reduce((sum, upload) => sum + upload.file.size, 0);
    for (const file of files) {
      const reason = this.refusal(file) || this.overflow(count, total + file.size);
      this.add(file, reason);
      count += reason ? 0 : 1;
      total += reason ? 0 : file.size;
    }
    this.next();
  }

  refusal(file) {
    const rules = this.rules.types[this.type()];
    const rule = rules.find(({ suffix }) => file.name.toLowerCase().endsWith(suffix));
    if (!rule) return this.dataset.sayType.replace("{types}", rules.map(({ suffix }) => suffix).join(", "));
    if (file.size === 0) return this.dataset.sayEmpty;
    return file.size > rule.most ? this.dataset.sayLarge.replace("{most}", rule.said) : "";
  }

  overflow(count, total) {
    if (count >= this.rules.files) return this.dataset.sayMany;
    return total > this.rules.total ? this.dataset.sayTotal : "";
  }

  pending() {
    return this.uploads.filter((upload) => ["waiting", "sending", "storing"].includes(upload.state));
  }

  add(file, reason) {
    const upload = document.importNode(this.querySelector("template").content, true).firstElementChild;
    this.list.append(upload);
    this.uploads.push(upload);
    upload.begin(this, file, this.type());
    if (reason) upload.fail(reason);
    this.list.hidden = false;
  }

  next() {
    const sending = this.pending().filter((upload) => upload.state !== "waiting").length;
    const waiting = this.pending().filter((upload) => upload.state === "waiting");
    for (const upload of waiting.slice(0, Math.max(0, AT_ONCE - sending))) upload.send();
  }

  announce(text) {
    this.querySelector("[data-announced]").textContent = text;
  }

  drop(upload) {
    this.uploads = this.uploads.filter((one) => one !== upload);
    upload.remove();
    this.list.hidden = this.uploads.length === 0;
  }
}

customElements.define("drop-zone", DropZone);
