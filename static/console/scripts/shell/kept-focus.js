// An answer replaces the button or link that asked for it, and buttons are disabled meanwhile: who works by keyboard would
// go on from the top of the page. They go on at the first field at fault, at the same button, or where the answer stands.
const { body } = document;
const asked = new Map(); // what had the focus, by the request that it sent

body.addEventListener("htmx:beforeRequest", ({ detail: { elt, requestConfig } }) => {
  const { activeElement } = document;
  if (activeElement !== body && elt.contains(activeElement)) asked.set(requestConfig, activeElement);
});
body.addEventListener("htmx:afterRequest", ({ detail: { requestConfig, target } }) => {
  const from = asked.get(requestConfig);
  asked.delete(requestConfig);
  if (from && document.activeElement === body) nextStop(from, target)?.focus({ preventScroll: true });
});

function nextStop(from, target) {
  if (from.isConnected) return from;
  const answer = target?.isConnected ? target : document.getElementById(target?.id);
  const atFault = answer?.querySelector("[aria-invalid=true]");
  if (!answer || atFault) return atFault;
  const same = [...answer.querySelectorAll(from.localName)].find((one) => isSame(one, from) && !one.disabled);
  if (!same && answer.tabIndex < 0) answer.tabIndex = -1;
  return same ?? answer;
}

function isSame(one, other) {
  return one.name === other.name && one.textContent.trim() === other.textContent.trim() && label(one) === label(other);
}

function label(one) {
  return one.getAttribute("aria-label");
}
