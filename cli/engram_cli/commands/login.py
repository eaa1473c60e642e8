"""login: a key by a code that a member approves in the browser (RFC 8628), or one that is typed."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from typing import Annotated, Any

import typer

from engram_cli import configuration
from engram_cli.failures import CommandFailed, UsageFailed
from engram_cli.options import open_client
from engram_cli.output import printable

CLIENT_ID = "engram-cli"
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code"
CODE_PATH, TOKEN_PATH = "/identity/o/api/device/code", "/identity/o/api/token"
SCOPES = "read write delete knowledge chat usage logs"
# Seconds; what the protocol adds to the interval on slow_down, and the interval where the server names none.
SLOW_DOWN, USUAL_INTERVAL = 5.0, 5.0


def login(
    url: Annotated[str | None, typer.Option("--url", help="The server; asked for without it.")] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="What the key shall do; may be given several times.")
    ] = None,
    key: Annotated[str | None, typer.Option("--key", help="A key that you have, in place of a code.")] = None,
    with_key: Annotated[bool, typer.Option("--with-key", help="Type a key that you have.")] = False,
) -> None:
    """Sign this machine in: approve the code in your browser, and it gets an API key of a project.

    The key is kept in the configuration file, which only you may read. Revoke it on the project's API keys page.
    """
    if (with_key or not url) and not sys.stdin.isatty() and not (key and url):
        raise UsageFailed("Nobody can be asked here: use --url, and --key for a key that you have.")
    configuration.give("base_url", url or typer.prompt("Server", default=configuration.base_url(), err=True))
    if with_key and not key:
        key = typer.prompt("API key", hide_input=True, err=True)
    answer: dict[str, Any] = {"access_token": key}
    if not key:
        answer = request_key(configuration.base_url(), scope, _show_code)
    secret = str(answer["access_token"]).strip()
    configuration.give("api_key", secret)
    with open_client(retries=0) as client:
        client.ping()
        url_kept = client.settings.base_url
    configuration.write(configuration.read() | {"api_key": secret, "base_url": url_kept})
    if project := answer.get("project"):
        print(f"Signed in to {printable(project['account'])} / {printable(project['name'])}.")
    print(f"The key works. Kept in {configuration.path()}.")


def _show_code(asked: dict[str, Any]) -> None:
    page, code = printable(asked["verification_uri"]), printable(asked["user_code"])
    print(f"Open {page} and enter the code {code},", file=sys.stderr)
    print(f"or open {printable(asked['verification_uri_complete'])}", file=sys.stderr)
    print("Waiting for your approval…", file=sys.stderr, flush=True)


def request_key(url: str, scopes: list[str] | None, show: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Ask for a code, show it, and wait until it is approved. Raises `CommandFailed`."""
    import httpx  # here for the reason that `open_client` gives

    from engram_client.requests import is_address

    if not is_address(url):
        raise CommandFailed(f"{url} is no address: write it like https://memory.example.com")
    asking = {
        "client_id": CLIENT_ID,
        "scope": " ".join(scopes or []) or SCOPES,
        "device_name": platform.node() or "this machine",
    }
    with httpx.Client(base_url=url, timeout=30, verify=url.startswith("https:")) as http:
        try:
            answer = http.post(CODE_PATH, data=asking)
            asked: dict[str, Any] = answer.json()
            if "error" in asked:
                raise CommandFailed(_refusal(asked))
            interval, ends = float(asked.get("interval", USUAL_INTERVAL)), float(asked["expires_in"])
            show(asked)
        except httpx.HTTPError as error:
            raise CommandFailed(f"{url} does not answer: {error}") from error
        except (ValueError, KeyError, TypeError) as error:
            raise CommandFailed(f"{url} knows no codes: use `engram login --with-key`.") from error
        return _wait_for_key(http, str(asked["device_code"]), interval, time.monotonic() + ends)


def _wait_for_key(http: Any, device_code: str, interval: float, until: float) -> dict[str, Any]:
    """Poll as often as the server allows; a lost connection is tried again at the next turn."""
    import httpx  # here for the reason that `open_client` gives

    polling = {"grant_type": GRANT_TYPE, "device_code": device_code, "client_id": CLIENT_ID}
    while time.monotonic() < until:
        time.sleep(interval)
        try:
            answer: dict[str, Any] = http.post(TOKEN_PATH, data=polling).json()
        except (httpx.TransportError, ValueError):
            continue
        error = answer.get("error")
        if error is None:
            return answer
        if error == "slow_down":
            interval += SLOW_DOWN
        elif error != "authorization_pending":
            raise CommandFailed(_refusal(answer))
    raise CommandFailed("The code has expired: run `engram login` again.")


def _refusal(answer: dict[str, Any]) -> str:
    sentences = {
        "access_denied": "The request was refused",
        "expired_token": "The code has expired: run `engram login` again",
        "invalid_scope": "A scope is unknown: use read, write, delete, knowledge, chat, usage, logs or keys",
        "slow_down": "Too many codes were asked for from here: wait a minute",
    }
    detail = printable(str(answer.get("error_description") or ""))
    sentence = sentences.get(answer["error"], f"The server refused: {printable(str(answer['error']))}")
    return f"{sentence}: {detail}." if detail else f"{sentence}."
