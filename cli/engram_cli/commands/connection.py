"""doctor and project: the server, the key, and what they may do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from typing import Annotated, Any

import typer

from engram_cli import configuration
from engram_cli.failures import CommandFailed
from engram_cli.options import Format, open_client
from engram_cli.output import Shown, show

project = typer.Typer(
    rich_markup_mode=None, help="What the skills API keeps for the project.", no_args_is_help=True
)
# Requests without a body, each refused whatever the key may do: for its scope, or for what is missing in it.
SCOPES = {
    "read": "search/memory",
    "write": "add/message",
    "delete": "delete/memory",
    "knowledge": "create/knowledgebase",
    "chat": "chat",
}
CLOCK_SECONDS = 60
# What this command knows how to call.
API_VERSION = "1."


def doctor(
    scopes: Annotated[
        bool, typer.Option(help="Find out what the key may do: five refused requests.")
    ] = False,
    format: Format = None,
) -> None:
    """Check the address, the key, the versions and the clock."""
    rows = list(_checks(scopes))
    show(Shown(rows, rows, ("check", "result", "says")), format)
    if any(row["result"] == "failed" for row in rows):
        raise CommandFailed("Something is wrong; the list says what.")


def _check(name: str, says: str, *, is_good: bool) -> dict[str, str]:
    return {"check": name, "result": "ok" if is_good else "failed", "says": says}


def _checks(with_scopes: bool) -> Iterator[dict[str, str]]:
    import httpx  # here for the reason that `open_client` gives

    from engram_client.requests import is_address
    from engram_client.version import VERSION

    url = configuration.base_url()
    yield _check("configuration", str(configuration.path()), is_good=True)
    if not is_address(url):
        yield _check("address", f"{url} is no address", is_good=False)
        return
    # Without TLS there are no authorities to load, which would take longer than all requests.
    with httpx.Client(base_url=url, timeout=30, verify=url.startswith("https:")) as http:
        try:
            answer = http.get("/openapi.json")
            served = str(answer.json()["info"]["version"])
        except (httpx.HTTPError, ValueError, KeyError) as error:
            yield _check("address", f"{url} does not answer as Engram: {error}", is_good=False)
            return
        yield _check("address", url, is_good=True)
        yield _check("version", f"API {served}, command {VERSION}", is_good=served.startswith(API_VERSION))
        off = abs(parsedate_to_datetime(answer.headers["Date"]).timestamp() - time.time())
        yield _check("clock", f"{off:.0f} s apart", is_good=off < CLOCK_SECONDS)
        yield from _key_checks(http, with_scopes)


def _key_checks(http: Any, with_scopes: bool) -> Iterator[dict[str, str]]:
    key = configuration.get_value("api_key")
    if not key:
        yield _check("key", "none: run `engram login`", is_good=False)
        return
    http.headers["Authorization"] = f"Bearer {key}"
    pinged = http.get("/api/openmem/v1/ping")
    yield _check(
        "key",
        configuration.masked(key) if pinged.is_success else _sentence(pinged),
        is_good=pinged.is_success,
    )
    if not pinged.is_success:
        return
    if not with_scopes:
        yield _check("scopes", "not looked at; --scopes does", is_good=True)
        return
    allowed = [
        scope
        for scope, path in SCOPES.items()
        if http.post(f"/api/openmem/v1/{path}", json={}).status_code == 400
    ]
    yield _check("scopes", ", ".join(allowed) or "none", is_good=bool(allowed))


def _sentence(answer: Any) -> str:
    try:
        return str(answer.json()["message"])
    except (ValueError, KeyError, TypeError):
        return f"HTTP {answer.status_code}"


@project.command("show")
def show_project(format: Format = None) -> None:
    """Show the project's configs of the skills API; its name and settings are in the console."""
    with open_client() as client:
        configs: Any = client.get_project_configs()
    rows = [{"config": name, "value": value} for name, value in configs.items()]
    show(Shown(configs, rows, ("config", "value"), "The project has no configs."), format)


@project.command("set")
def set_project(
    name: Annotated[str, typer.Argument(help="For example task_success_criteria.")],
    value: Annotated[str, typer.Argument(help="Its value; empty removes it.")],
    format: Format = None,
) -> None:
    """Set one of the project's configs of the skills API."""
    with open_client() as client:
        configs: Any = client.update_project_configs({name: value or None})
    rows = [{"config": key, "value": config_value} for key, config_value in configs.items()]
    show(Shown(configs, rows, ("config", "value"), "The project has no configs."), format)
