"""Every page of the console in all its states: a table of what is wrong, and pictures.

    python -m benchmarks.tools.check_pages [--pictures FOLDER] [--without-axe]

One installation of its own, with an empty project and one of sample data. Each page is opened with both, in two
widths, two themes and two languages: its answer, one heading, no sideways scroll, no message of script or policy, and
what axe-core finds. The table goes to `benchmarks/results/pages.md`. Needs the packages of `make test` and a Chromium
in $CHROMIUM.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from benchmarks.requests.usage_page import sign_in_owner
from benchmarks.support.installation import installation
from benchmarks.support.report import RESULTS

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
WIDTHS, SCHEMES, LANGUAGES = (1280, 390), ("light", "dark"), ("en", "zh-Hans")
OF_PROJECT = {
    "overview": "",
    "quickstart": "quickstart/",
    "api-keys": "api-keys/",
    "playground": "playground/",
    "memories": "memories/",
    "trash": "memories/trash/",
    "users": "users/",
    "conversations": "conversations/",
    "knowledge": "knowledge/",
    "skills": "skills/",
    "spaces": "spaces/",
    "sessions": "sessions/",
    "health": "health/",
    "logs": "logs/",
    "tasks": "tasks/",
    "settings": "settings/",
    "settings-retention": "settings/#lifecycle",
}
OF_ACCOUNT = {name: f"{name}/" for name in "usage limits billing members audit settings deletions".split()}
OF_LOGIN = {
    "projects": "",
    "login": "/me/",
    "two-factor": "/accounts/2fa/",
    "passkeys": "/accounts/2fa/webauthn/",
}
AXE = """async () => {
    const draw = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    await draw();
    while (document.querySelector(".dim.htmx-request")) await draw(); // lists are dim while they are read again
    const transitions = document.getAnimations().filter((one) => one instanceof CSSTransition);
    await Promise.all(transitions.map((one) => one.finished.catch(() => {})));
    const runOnly = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    const { violations } = await axe.run(document, { runOnly, resultTypes: ["violations"] });
    const grave = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
    return grave.map(({ id, nodes }) => `${id} x${nodes.length}`);
}"""


@dataclass(slots=True)
class Look:
    """One page in one state. `faults` are empty where all is well."""

    page: str
    state: str
    faults: list[str] = field(default_factory=list)


def check(pictures: Path | None, with_axe: bool) -> list[Look]:
    from playwright.sync_api import sync_playwright

    with installation() as (stack, developer):
        account, filled = _fill(developer.project_id, stack.url)
        session = sign_in_owner()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
            looks: list[Look] = []
            for width, scheme, language in product(WIDTHS, SCHEMES, LANGUAGES):
                context = browser.new_context(
                    base_url=stack.url,
                    viewport={"width": width, "height": 900},
                    color_scheme=scheme,  # type: ignore[arg-type]
                    reduced_motion="reduce",
                    extra_http_headers={"Accept-Language": language},
                )
                context.add_cookies(
                    [{"name": name, "value": value, "url": stack.url} for name, value in session.items()]
                )
                page = context.new_page()
                for name, path in _paths(developer.project_id, filled, account):
                    look = _look(page, name, path, f"{width} {scheme} {language}", with_axe)
                    looks.append(look)
                    if pictures and language == "en":
                        page.screenshot(path=pictures / f"{name.replace(' ', '-')}-{width}-{scheme}.png")
                context.close()
            browser.close()
    return looks


def _fill(project_id: str, url: str) -> tuple[Any, Any]:
    """The account, and its project of sample data."""
    from console.embedded.demo.sample_data import fill_sample_project
    from tenancy.models import Project, User

    account = Project.objects.select_related("account__plan").get(pk=project_id).account
    owner = User.objects.get(email="bench@example.org")
    return account.pk, fill_sample_project(account, owner, f"{url}/api/openmem/v1").pk


def _paths(empty: Any, filled: Any, account: Any) -> Iterator[tuple[str, str]]:
    for state, project in (("empty", empty), ("filled", filled)):
        yield from ((f"{name} {state}", f"/p/{project}/{path}") for name, path in OF_PROJECT.items())
    yield from ((name, f"/a/{account}/{path}") for name, path in OF_ACCOUNT.items())
    yield from ((name, path or f"/a/{account}/") for name, path in OF_LOGIN.items())


def _look(page: Any, name: str, path: str, state: str, with_axe: bool) -> Look:
    look = Look(name, state)

    def hear(message: Any) -> None:
        if message.type == "error":
            look.faults.append(f"console: {message.text[:120]}")

    page.on("console", hear)
    page.goto("about:blank")
    answer = page.goto(path, wait_until="networkidle")
    if answer is None or answer.status != 200:
        look.faults.append(f"status {answer.status if answer else 'none'}")
    if (headings := page.locator("h1").count()) != 1:
        look.faults.append(f"{headings} h1")
    if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        look.faults.append("scrolls sideways")
    if with_axe:
        look.faults += _axe(page)
    page.remove_listener("console", hear)
    return look


def _axe(page: Any) -> list[str]:
    from importlib.resources import files

    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(AXE)
    return found


def table(looks: list[Look]) -> str:
    """Markdown: a line for each page, how many of its states are well, and what is wrong in the others."""
    lines = ["| page | states looked at | faults |", "| --- | ---: | --- |"]
    for name in dict.fromkeys(look.page for look in looks):
        mine = [look for look in looks if look.page == name]
        faults = dict.fromkeys(f"{fault} ({look.state})" for look in mine for fault in look.faults)
        lines.append(f"| {name} | {len(mine)} | {'; '.join(faults) or 'none'} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--without-axe", action="store_true")
    asked = parser.parse_args()
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    looks = check(asked.pictures, not asked.without_axe)
    text = f"# Pages of the console\n\nMade by `python -m benchmarks.tools.check_pages`.\n\n{table(looks)}"
    (RESULTS / "pages.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
