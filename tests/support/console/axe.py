"""axe-core in a page: what it finds there, in lines for people."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from playwright.sync_api import Page

GRAVE = {"serious", "critical"}
LOOKS = 4
RUN = """
async ([tags, rules]) => {
    // A change of theme is drawn, and its transitions are over.
    const draw = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await draw();
    while (document.querySelector(".dim.htmx-request")) await draw(); // lists are dim while they are read again
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(transitions.map((one) => one.finished.catch(() => {})));
    const runOnly = rules.length ? { type: "rule", values: rules } : { type: "tag", values: tags };
    // The library that shows the API reference draws what is in here.
    const ours = { include: document, exclude: ["#swagger-ui"] };
    // No rule here needs the style sheets fetched and parsed once more.
    const { violations } = await axe.run(ours, { runOnly, resultTypes: ["violations"], preload: false });
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map((node) => node.html) }));
}
"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@cache
def source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


def grave_findings(page: Page, rules: tuple[str, ...] = ()) -> list[str]:
    """The serious and critical ones of the page as it is; of these rules alone where some are given.

    Evaluated through the debugger, which the page's content security policy does not concern. A list that is being read
    again is dim meanwhile: a finding counts where it is there each time.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(source())
    for _ in range(LOOKS):
        found = _look(page, rules)
        if not found:
            break
        page.wait_for_load_state("networkidle")
    return found


def _look(page: Page, rules: tuple[str, ...]) -> list[str]:
    found: list[dict[str, Any]] = page.evaluate(RUN, [TAGS, list(rules)])
    return [
        f"{one['id']} ×{len(one['nodes'])}: {one['nodes'][0][:160]}"
        for one in found
        if one["impact"] in GRAVE
    ]
