// Places the menu of a table's row under its button, or above it where the window ends, and moves in it by arrow keys.
const GAP = 4;
const sheet = new CSSStyleSheet(); // a style attribute would be copied by htmx, which the policy forbids
document.adoptedStyleSheets.push(sheet);

function place(menu) {
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (!button) return;
  const { top, bottom, right } = button.getBoundingClientRect();
  const isLow = bottom + GAP + menu.offsetHeight > innerHeight && top > menu.offsetHeight + GAP;
  const edge = isLow ? top - GAP - menu.offsetHeight : bottom + GAP;
  sheet.replaceSync(`.row-menu { inset: ${edge}px ${Math.max(8, document.body.clientWidth - right)}px auto auto; }`);
}

document.addEventListener("toggle", ({ target, newState }) => {
  if (!target.matches?.(".row-menu")) return;
  if (newState !== "open") return;
  place(target);
  target.querySelector(".menu-item")?.focus();
}, true);

document.addEventListener("keydown", (event) => {
  const menu = event.target.closest?.(".row-menu:popover-open");
  if (!menu || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
  const items = [...menu.querySelectorAll(".menu-item")];
  const step = event.key === "ArrowDown" ? 1 : -1;
  items[(items.indexOf(document.activeElement) + step + items.length) % items.length]?.focus();
  event.preventDefault();
});

function closeMenus() {
  for (const menu of document.querySelectorAll(".row-menu:popover-open")) menu.hidePopover();
}
document.addEventListener("click", ({ target }) => target.closest?.(".row-menu .menu-item") && closeMenus());
addEventListener("scroll", (event) => event.target === document && closeMenus(), true);
addEventListener("resize", closeMenus);
