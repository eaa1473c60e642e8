// A conversation's page: what is unfolded stays so when the page refreshes, and memories are marked beside their messages.
window.Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => !(name === "open" && node.tagName === "DETAILS");

// A memory that came of several messages stands beside each: pointing at one marks them all.
function mark(place, isOn) {
  const one = place?.closest?.("[data-mark]");
  if (!one) return;
  for (const other of document.querySelectorAll(`[data-mark="${CSS.escape(one.dataset.mark)}"]`)) {
    other.toggleAttribute("data-marked", isOn);
  }
}

for (const name of ["mouseover", "focusin"]) document.body.addEventListener(name, ({ target }) => mark(target, true));
for (const name of ["mouseout", "focusout"]) document.body.addEventListener(name, ({ target }) => mark(target, false));
// A refreshed list comes without marks.
document.body.addEventListener("htmx:afterSettle", () => {
  mark(document.activeElement, true);
  mark(document.querySelector("[data-mark]:hover"), true);
});
