// What every htmx request needs: the CSRF header, one submit at a time, and a word when the server cannot be reached.
const token = document.querySelector('meta[name="csrf-token"]');
const body = document.body;
// Events upon which parts of the page are read anew by themselves.
const refreshes = /^live:|-changed$/;

body.addEventListener("htmx:configRequest", (event) => {
  if (token) event.detail.headers["X-CSRFToken"] = token.content;
});

// A second click while the first is under way: htmx would send it again as soon as that was answered.
const pressed = new Set(["click", "submit"]);
body.addEventListener("htmx:confirm", (event) => {
  const { elt, verb, triggeringEvent } = event.detail;
  if (verb !== "get" && pressed.has(triggeringEvent?.type) && elt.classList.contains("htmx-request")) event.preventDefault();
});

function say(text) {
  body.dispatchEvent(new CustomEvent("toast", { detail: { text, kind: "bad" } }));
}
body.addEventListener("htmx:responseError", (event) => {
  const { xhr } = event.detail;
  if (isSignedOut(xhr) || xhr.getResponseHeader("HX-Trigger")?.includes('"toast"')) return; // the answer says it
  const id = xhr.getResponseHeader("X-Request-Id");
  say(id ? `${body.dataset.failed} (${id})` : body.dataset.failed);
});

// Offline and signed out are states of the page, named by a bar that stays until they end. Nothing navigates away by
// itself: what somebody typed is kept, and goes on with "Try again" or after signing in in another tab.
const bar = document.querySelector("[data-connection]");
let failed; // the request that did not get through

function isSignedOut(xhr) {
  return xhr.status === 401 && Boolean(bar) && xhr.getResponseHeader("HX-Redirect")?.startsWith(bar.dataset.signIn);
}

function showState(state) {
  if (!bar) return;
  bar.dataset.state = state;
  for (const part of bar.querySelectorAll("[data-when]")) part.hidden = part.dataset.when !== state;
  // What is beside a modal dialog cannot be clicked.
  (document.querySelector("dialog:modal") ?? document.body).append(bar);
  bar.hidden = !state;
}

body.addEventListener("htmx:sendError", ({ detail: { requestConfig } }) => {
  if (!refreshes.test(requestConfig.triggeringEvent?.type)) failed = requestConfig;
  showState("offline");
});
body.addEventListener("htmx:beforeOnLoad", (event) => {
  const { xhr, requestConfig } = event.detail;
  if (isSignedOut(xhr)) {
    event.preventDefault(); // htmx would follow HX-Redirect
    if (!refreshes.test(requestConfig.triggeringEvent?.type)) failed = requestConfig;
    showState("signed-out");
  } else if (bar && xhr.getResponseHeader("X-Form-Expired")) {
    event.preventDefault();
    body.dispatchEvent(new CustomEvent("form-expired"));
  } else if (bar?.dataset.state === "offline") showState("");
});
addEventListener("offline", () => showState("offline"));
addEventListener("online", () => bar?.dataset.state === "offline" && showState(""));

function retry() {
  const { elt, triggeringEvent } = failed ?? {};
  failed = undefined;
  showState("");
  if (elt?.isConnected) htmx.trigger(elt, triggeringEvent?.type ?? "click");
}
bar?.querySelector("[data-retry]").addEventListener("click", retry);
bar?.querySelector("[data-resume]").addEventListener("click", resume);
addEventListener("focus", () => bar?.dataset.state === "signed-out" && resume());
// Uploads, which htmx does not send, say so by themselves.
body.addEventListener("signed-out", () => showState("signed-out"));
body.addEventListener("form-expired", async () => (await resume()) || say(body.dataset.failed));

// Signing in made a new CSRF token, which the forms of this page need. Returns whether they have it.
async function resume() {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } }).catch(() => undefined);
  if (!response) showState("offline");
  if (!response?.ok || new URL(response.url).pathname !== location.pathname) return false;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  token.content = page.querySelector('meta[name="csrf-token"]').content;
  for (const field of document.querySelectorAll("input[name=csrfmiddlewaretoken]")) field.value = token.content;
  showState("");
  body.dispatchEvent(new CustomEvent("toast", { detail: { text: bar.dataset.resumed } }));
  return true;
}

// Plain submits navigate away; a second click must not post twice. Back from the page cache re-enables the button.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  event.submitter?.setAttribute("data-busy", "");
});
window.addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("[data-busy]")) button.removeAttribute("data-busy");
});

// What is set beside a form of filters (the tab, the order) is in the address, and stays there: its own hidden fields are
// those of the page as it was loaded.
body.addEventListener("htmx:configRequest", ({ detail }) => {
  const now = new URLSearchParams(location.search);
  for (const name of detail.elt.dataset?.keep?.split(" ") ?? []) {
    if (detail.triggeringEvent?.target?.name !== name) detail.formData.set(name, now.get(name) ?? "");
  }
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
const sent = new Set();
body.addEventListener("htmx:beforeSend", ({ detail: { requestConfig } }) => {
  requestConfig.address = location.href;
  if (!refreshes.test(requestConfig.triggeringEvent?.type)) sent.add(requestConfig);
});
body.addEventListener("htmx:afterRequest", ({ detail }) => sent.delete(detail.requestConfig));
body.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { address, triggeringEvent: asked } = detail.requestConfig;
  if (!refreshes.test(asked?.type)) return;
  // What is no longer on the page is not reported here when it ends.
  const touched = ({ elt, target }) => elt.isConnected && (detail.target.contains(elt) || detail.target.contains(target));
  if (address === location.href && ![...sent].some(touched)) return;
  detail.shouldSwap = false;
  setTimeout(() => body.dispatchEvent(new CustomEvent(asked.type, { detail: asked.detail })), RETRY);
});

// htmx keeps a refresh that is asked for while another of the same element is under way, and forgets it where the answer of
// the first replaces that element: then it is asked for once more.
const refreshing = new Map();
body.addEventListener("htmx:beforeSend", ({ detail: { elt, requestConfig, xhr } }) => {
  const asked = requestConfig.triggeringEvent;
  if (!refreshes.test(asked?.type)) return;
  refreshing.set(elt, false);
  xhr.addEventListener("loadend", () => {
    const isMissed = refreshing.get(elt) && !elt.isConnected;
    refreshing.delete(elt);
    if (isMissed) body.dispatchEvent(new CustomEvent(asked.type, { detail: asked.detail }));
  });
});
body.addEventListener("htmx:trigger", ({ target }) => {
  if (refreshing.has(target)) refreshing.set(target, true);
});
