// What every htmx request needs: the CSRF header, one submit at a time, and a word when the server cannot be reached.
const token = document.querySelector('meta[name="csrf-token"]');
const body = document.body;

body.addEventListener("htmx:configRequest", (event) => {
  if (token) event.detail.headers["X-CSRFToken"] = token.content;
});

function say(text) {
  body.dispatchEvent(new CustomEvent("toast", { detail: { text, kind: "bad" } }));
}
body.addEventListener("htmx:sendError", () => say(body.dataset.offline));
body.addEventListener("htmx:responseError", (event) => {
  const id = event.detail.xhr.getResponseHeader("X-Request-Id");
  say(id ? `${body.dataset.failed} (${id})` : body.dataset.failed);
});

// Plain submits navigate away; a second click must not post twice. Back from the page cache re-enables the button.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  event.submitter?.setAttribute("data-busy", "");
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-busy]")) button.removeAttribute("data-busy");
});

// Empty fields are left out of filter addresses, so that a pasted link stays short.
body.addEventListener("htmx:configRequest", (event) => {
  if (!event.detail.elt.matches("form[data-lean]")) return;
  for (const [name, value] of [...event.detail.formData.entries()]) {
    if (value === "") event.detail.formData.delete(name);
  }
});

// A refresh must not take away what the person has turned to since: the file of a tree that was opened meanwhile, or the
// list whose filter, or whose button's dialog, is on its way. What it brings is dropped then, and asked for anew.
const RETRY = 250;
const refreshes = /^live:|-changed$/;
const sent = new Set();
body.addEventListener("htmx:beforeSend", ({ detail: { requestConfig } }) => {
  requestConfig.address = location.href;
  if (!refreshes.test(requestConfig.triggeringEvent?.type)) sent.add(requestConfig);
});
body.addEventListener("htmx:afterRequest", ({ detail }) => sent.delete(detail.requestConfig));
body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { address, triggeringEvent: asked } = detail.requestConfig;
  if (!refreshes.test(asked?.type)) return;
  // What is no longer on the page is not told of here when it ends.
  const touched = ({ elt, target }) => elt.isConnected && (detail.target.contains(elt) || detail.target.contains(target));
  if (address === location.href && ![...sent].some(touched)) return;
  detail.shouldSwap = false;
  setTimeout(() => body.dispatchEvent(new CustomEvent(asked.type, { detail: asked.detail })), RETRY);
});
