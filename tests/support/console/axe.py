"""axe-core in a page: what it finds there, in lines for people."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal
from urllib.parse import urlsplit

from playwright.sync_api import Page

GRAVE = {"serious", "critical"}
LOOKS = 4
RUN = """
async ({ tags, leftOut, seen }) => {
    // A change of theme is drawn, and its transitions are over.
    const draw = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await draw();
    while (document.querySelector(".dim.htmx-request")) await draw(); // lists are dim while they are read again
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(transitions.map((one) => one.finished.catch(() => {})));

    const hasText = (one) => one.matches("input, select, textarea")
        || [...one.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && part.data.trim());
    const looks = new Set();
    for (const one of document.body.querySelectorAll("*")) {
        one.removeAttribute("data-fresh");
        if (!hasText(one) || one.closest(leftOut.join()) || !one.checkVisibility()) continue;
        const { color, fontSize, fontWeight } = getComputedStyle(one), grounds = new Set();
        for (let behind = one; behind; behind = behind.parentElement) {
            const { backgroundColor, backgroundImage, opacity } = getComputedStyle(behind);
            grounds.add(`${backgroundColor} ${backgroundImage} ${opacity}`);
        }
        const look = [color, fontSize, fontWeight, ...grounds].join(" ");
        if (seen.includes(look)) continue;
        looks.add(look);
        one.setAttribute("data-fresh", "");
    }
    const fresh = [...looks], contrast = "color-contrast";
    if (!tags.length && !fresh.length) return { violations: [], fresh };

    axe.configure({ rules: [{ id: contrast, selector: "[data-fresh]" }] });
    const runOnly = tags.length ? { type: "tag", values: tags } : { type: "rule", values: [contrast] };
    // No rule here needs the style sheets fetched and parsed once more.
    const options = { runOnly, resultTypes: ["violations"], preload: false };
    const { violations } = await axe.run({ include: document, exclude: leftOut }, options);
    const inShort = ({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map((node) => node.html) });
    return { violations: violations.map(inShort), fresh };
}
"""
# What every page of a project and of an account has around what is its own: most of its elements.
FRAME = [".side", ".top", "#palette", "#shortcuts"]
# The library that shows the API reference draws what is in here.
FOREIGN = ["#swagger-ui"]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


@cache
def _source() -> str:
    return files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")


class Axe:
    """Both themes have the same elements in other colours: everything is asked in one of them, contrast alone in the
    other; and contrast only of texts in a colour and a size, on a ground, that no page before had. The frame around
    what is a page's own is looked at on the first page of a project, of an account and so on.
    """

    def __init__(self) -> None:
        self.problems: list[str] = []
        self._theme: Literal["light", "dark"] = "light"
        self._seen: set[str] = set()
        self._framed: set[str] = set()

    def look(self, page: Page) -> None:
        """At the page as it is."""
        kind = urlsplit(page.url).path.split("/")[1]
        findings = self._grave_findings(page, FOREIGN + (FRAME if kind in self._framed else []))
        self._framed.add(kind)
        self.problems += [f"{page.url} {finding}" for finding in findings]

    def _grave_findings(self, page: Page, left_out: list[str]) -> list[str]:
        # From the theme that the last page left: to draw a page anew costs as much as to open it.
        page.emulate_media(color_scheme=self._theme)
        page.evaluate(_source())
        findings = self._find(page, TAGS, left_out)
        self._theme = "dark" if self._theme == "light" else "light"
        page.emulate_media(color_scheme=self._theme)
        return findings + self._find(page, [], left_out)

    def _find(self, page: Page, tags: list[str], left_out: list[str]) -> list[str]:
        """A list that is being read again is dim meanwhile: a finding counts where it is there each time."""
        for _ in range(LOOKS):
            asked = {"tags": tags, "leftOut": left_out, "seen": list(self._seen)}
            report: dict[str, Any] = page.evaluate(RUN, asked)
            findings = [violation for violation in report["violations"] if violation["impact"] in GRAVE]
            if not findings:
                self._seen |= set(report["fresh"])
                break
            page.wait_for_load_state("networkidle")
        return [
            f"{self._theme}: {finding['id']} ×{len(finding['nodes'])}: {finding['nodes'][0][:160]}"
            for finding in findings
        ]
