"""Every page of the console in all its states: a table of what is wrong, and pictures.

    python -m benchmarks.tools.check_pages [--state "390 dark zh-Hans"]... [--pictures FOLDER] [--without-axe]

One installation of its own, with an empty project and one of sample data. Each page is opened with both, in three
widths, two themes and two languages: its answer, title, language, one heading, no sideways scroll, no message of script
or policy, the weight of its scripts and styles, its queries, and what axe-core finds. The same pages of a project of
somebody else must be unknown.

With --state only these are looked at; what `benchmarks/results/local-pages.json` knows of the others is kept, so that
a slow machine looks in pieces. The table of all goes to `benchmarks/results/pages.md`. Needs the packages of
`make test` and a Chromium in $CHROMIUM.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

import httpx

from benchmarks.requests.usage_page import sign_in_owner
from benchmarks.support.installation import installation, make_developer
from benchmarks.support.report import RESULTS
from console.embedded.stack import Stack

FLAGS = "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking".split()
WIDTHS, SCHEMES, LANGUAGES = (1280, 390, 320), ("light", "dark"), ("en", "zh-Hans")
STATES = [" ".join(map(str, state)) for state in product(WIDTHS, SCHEMES, LANGUAGES)]
OF_STRANGER = "of somebody else"
KNOWN = RESULTS / "local-pages.json"
# Kilobytes, gzipped; queries of one answer.
MOST_SCRIPT, MOST_STYLE, MOST_QUERIES = 120, 30, 25
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
    return grave.map(({ id, nodes }) => `${id} x${nodes.length} at ${nodes[0].target.join(" ")}`);
}"""


@dataclass(slots=True)
class Look:
    """One page in one state. `faults` are empty where all is well; `script` and `style` are kilobytes, gzipped."""

    page: str
    state: str
    faults: list[str] = field(default_factory=list)
    script: float = 0.0
    style: float = 0.0
    queries: int = 0


def check(states: list[str], pictures: Path | None, with_axe: bool) -> list[Look]:
    from playwright.sync_api import sync_playwright

    with installation() as (stack, developer):
        account, filled = _fill(developer.project_id, stack.url)
        session = sign_in_owner()
        paths = dict(_paths(developer.project_id, filled, account))
        queries = _count_queries(paths)
        looks = _look_from_outside(stack, paths)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=FLAGS)
            for state in states:
                width, scheme, language = state.split()
                context = browser.new_context(
                    base_url=stack.url,
                    viewport={"width": int(width), "height": 900},
                    color_scheme=scheme,  # type: ignore[arg-type]
                    reduced_motion="reduce",
                    extra_http_headers={"Accept-Language": language},
                )
                context.add_cookies(
                    [{"name": name, "value": value, "url": stack.url} for name, value in session.items()]
                )
                page = context.new_page()
                # What a cache answers has no weight.
                context.new_cdp_session(page).send("Network.setCacheDisabled", {"cacheDisabled": True})
                for name, path in paths.items():
                    look = _look(page, name, path, state, with_axe)
                    look.queries = queries[name]
                    if look.queries > MOST_QUERIES:
                        look.faults.append(f"{look.queries} queries")
                    looks.append(look)
                    if pictures:
                        named = f"{name.replace(' ', '-')}-{state.replace(' ', '-')}.png"
                        page.screenshot(path=pictures / named)
                context.close()
            browser.close()
    return looks


def _count_queries(paths: dict[str, str]) -> dict[str, int]:
    """Of each page's second answer: the first one may also make what the page needs."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    client, counts = Client(HTTP_HOST="127.0.0.1"), {}
    client.cookies.load(sign_in_owner())
    for name, path in paths.items():
        client.get(path)
        with CaptureQueriesContext(connection) as asked:
            client.get(path)
        counts[name] = len(asked)
    return counts


def _look_from_outside(stack: Stack, paths: dict[str, str]) -> list[Look]:
    """Somebody with an account of their own opens the same addresses, and knows none of them."""
    make_developer(stack, "stranger")
    looks = []
    cookies = sign_in_owner("stranger@example.org")
    with httpx.Client(base_url=stack.url, cookies=cookies, timeout=60, trust_env=False) as browser:
        for name, path in paths.items():
            if path.startswith(("/p/", "/a/")):
                status = browser.get(path.partition("#")[0]).status_code
                looks.append(Look(name, OF_STRANGER, [] if status == 404 else [f"status {status}"]))
    return looks


def _fill(project_id: str, url: str) -> tuple[Any, Any]:
    """The account, and its project of sample data."""
    from console.data.sample_data.by_requests import fill_by_requests
    from tenancy.models import Project, User

    account = Project.objects.select_related("account__plan").get(pk=project_id).account
    owner = User.objects.get(email="bench@example.org")
    return account.pk, fill_by_requests(account, owner, f"{url}/api/openmem/v1").pk


def _paths(empty: Any, filled: Any, account: Any) -> Iterator[tuple[str, str]]:
    for state, project in (("empty", empty), ("filled", filled)):
        yield from ((f"{name} {state}", f"/p/{project}/{path}") for name, path in OF_PROJECT.items())
    yield from ((name, f"/a/{account}/{path}") for name, path in OF_ACCOUNT.items())
    yield from ((name, path or f"/a/{account}/") for name, path in OF_LOGIN.items())


def _look(page: Any, name: str, path: str, state: str, with_axe: bool) -> Look:
    look = Look(name, state)
    finished: list[Any] = []

    def hear(message: Any) -> None:
        if message.type == "error":
            look.faults.append(f"console: {message.text[:120]}")

    def keep(request: Any) -> None:
        finished.append(request)

    page.on("console", hear)
    page.on("requestfinished", keep)
    page.goto("about:blank")
    answer = page.goto(path, wait_until="networkidle")
    page.remove_listener("requestfinished", keep)
    if answer is None or answer.status != 200:
        look.faults.append(f"status {answer.status if answer else 'none'}")
    if (headings := page.locator("h1").count()) != 1:
        look.faults.append(f"{headings} h1")
    if not page.title().partition("·")[0].strip():
        look.faults.append("no title")
    if (language := page.evaluate("document.documentElement.lang").lower()) != state.split()[2].lower():
        look.faults.append(f"language {language or 'unknown'}")
    if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
        look.faults.append("scrolls sideways")
    look.script, look.style = _weigh(finished, "script"), _weigh(finished, "stylesheet")
    if look.script > MOST_SCRIPT:
        look.faults.append(f"{look.script} KB of script")
    if look.style > MOST_STYLE:
        look.faults.append(f"{look.style} KB of styles")
    if with_axe:
        look.faults += _axe(page)
    page.remove_listener("console", hear)
    return look


def _weigh(requests: list[Any], kind: str) -> float:
    """Kilobytes of the answers to requests of this kind, gzipped."""
    bodies = (request.response().body() for request in requests if request.resource_type == kind)
    return round(sum(len(gzip.compress(body)) for body in bodies) / 1024, 1)


def _axe(page: Any) -> list[str]:
    from importlib.resources import files

    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8"))
    violations: list[str] = page.evaluate(AXE)
    return violations


def table(looks: list[Look]) -> str:
    """Markdown: a line for each page, how many of its states were looked at, its weight, and what is wrong in which."""
    lines = [
        "| page | states looked at | script, KB | styles, KB | queries | faults |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for name in dict.fromkeys(look.page for look in looks):
        mine = [look for look in looks if look.page == name]
        faults = dict.fromkeys(f"{fault} ({look.state})" for look in mine for fault in look.faults)
        weights = (
            max(look.script for look in mine),
            max(look.style for look in mine),
            max(look.queries for look in mine),
        )
        cells = [name, len(mine), *weights, "; ".join(faults) or "none"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--state", action="append", choices=STATES)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--without-axe", action="store_true")
    asked = parser.parse_args()
    if asked.pictures:
        asked.pictures.mkdir(parents=True, exist_ok=True)
    states = asked.state or STATES
    known = [Look(**look) for look in json.loads(KNOWN.read_text())] if asked.state and KNOWN.exists() else []
    looks = [look for look in known if look.state not in (*states, OF_STRANGER)]
    looks += check(states, asked.pictures, not asked.without_axe)
    KNOWN.write_text(json.dumps([asdict(look) for look in looks], ensure_ascii=False), encoding="utf-8")
    text = f"# Pages of the console\n\nMade by `python -m benchmarks.tools.check_pages`.\n\n{table(looks)}"
    (RESULTS / "pages.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
