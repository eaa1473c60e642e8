"""key, usage and logs: the project's keys, what it used, and its request log."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from engram_cli.commands.memories import confirm
from engram_cli.failures import UsageFailed
from engram_cli.options import Format, Yes, open_client
from engram_cli.output import Shown, chosen_format, plain, show

if TYPE_CHECKING:
    from engram_client import Engram

key = typer.Typer(
    rich_markup_mode=None,
    help="API keys of the project; needs a key with the scope keys.",
    no_args_is_help=True,
)
KEY_COLUMNS = ("name", "hint", "state", "scopes", "id")
LOG_COLUMNS = ("created_at", "endpoint", "http_status", "code", "milliseconds", "key_name", "request_id")
# Seconds between two looks at the log.
LOOK_EVERY = 2.0
# The newest entries are repeated: so many are remembered as shown.
REMEMBERED = 2_000
SPAN = re.compile(r"([0-9]{1,6})([smhdw])")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@key.command("list")
def list_keys(
    all: Annotated[bool, typer.Option("--all", help="With those that ended.")] = False,
    format: Format = None,
) -> None:
    """List the project's keys."""
    with open_client() as client:
        keys: Any = client.list_keys(include_ended=all)
    columns = (*KEY_COLUMNS[:-1], "expires_at", "last_used_at", "id")
    show(Shown(keys, keys, columns, "There are no keys."), format)


@key.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="Where it will be used.")],
    scope: Annotated[list[str], typer.Option(help="What it may do; may be given several times.")],
    expires: Annotated[str | None, typer.Option(help="After a time like 30d, or at a time.")] = None,
    range: Annotated[list[str] | None, typer.Option(help="A network it may be used from.")] = None,
    daily_cap: Annotated[int | None, typer.Option(help="Calls a day.")] = None,
    format: Format = None,
) -> None:
    """Create a key within the limits of yours, and print it once."""
    options: Any = {
        "expires_at": _parse_time(expires, ahead=True) if expires else None,
        "ranges": range,
        "daily_cap": daily_cap,
    }
    with open_client() as client:
        created: Any = client.create_key(name, scope, **options)
    row = {"api_key": created["api_key"], **created["key"]}
    columns = ("api_key", "name", "scopes", "id")
    show(Shown(created, [row], columns, title="Copy the key now: it is not shown again."), format)


@key.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="The id of a key.")], yes: Yes = False, format: Format = None
) -> None:
    """Revoke a key."""
    if not yes:
        confirm(f"Revoke key {key_id}? Whatever uses it stops working.")
    with open_client() as client:
        client.revoke_key(key_id)
    show(Shown({"success": True}, [{"result": "revoked", "id": key_id}], ("result", "id")), format)


def usage(
    by: Annotated[str, typer.Option(help="api, day or key.")] = "api",
    first: Annotated[str | None, typer.Option("--from", help="First day, like 2026-01-31.")] = None,
    last: Annotated[str | None, typer.Option("--to", help="Last day.")] = None,
    key_id: Annotated[str | None, typer.Option(help="Only of this key.")] = None,
    format: Format = None,
) -> None:
    """Show what the project used, and what the account has left this month."""
    with open_client() as client:
        answer: Any = client.usage(first_day=first, last_day=last, group_by=by, key_id=key_id)
    quotas = {quota["api"]: quota for quota in answer["quotas"]}
    rows = answer["rows"]
    columns: tuple[str, ...] = ("api", "day", "key_id", "used", "refused")
    if by == "api":
        rows = [{**row, **_left(quotas.get(row["api"], {}))} for row in rows]
        columns = ("api", "used", "refused", "account_left", "account_allowed")
    period = f"{answer['first_day']} to {answer['last_day']}"
    show(Shown(answer, rows, columns, f"Nothing was used, {period}.", period), format)


def _left(quota: Mapping[str, Any]) -> dict[str, Any]:
    return {"account_left": quota.get("left"), "account_allowed": quota.get("allowed")}


def logs(
    request_id: Annotated[str | None, typer.Argument(help="Show this request whole.")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-F", help="Wait for more, until Ctrl-C.")] = False,
    endpoint: Annotated[str | None, typer.Option(help="For example search/memory.")] = None,
    outcome: Annotated[str | None, typer.Option(help="ok, refused or broken.")] = None,
    user_id: Annotated[str | None, typer.Option(help="Only about this end user.")] = None,
    since: Annotated[str | None, typer.Option(help="A time, or how long ago, like 15m.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many.")] = 20,
    format: Format = None,
) -> None:
    """Show the request log, newest first; with --follow oldest first and what comes."""
    if request_id and follow:
        raise UsageFailed("One request has an end: leave out --follow.")
    filters = {
        "endpoint": endpoint,
        "outcome": outcome,
        "user_id": user_id,
        "since": _parse_time(since, ahead=False) if since else None,
    }
    with open_client() as client:
        if request_id:
            _show_request(client, request_id, format)
        elif follow:
            name = chosen_format(format)
            for entry in follow_log(client, filters, limit):
                print(json.dumps(entry, ensure_ascii=False) if name == "json" else _line(entry), flush=True)
        else:
            entries = list(_newest(client, filters, limit))
            show(Shown(entries, entries, LOG_COLUMNS[:5] + LOG_COLUMNS[6:], "No requests."), format)


def follow_log(
    client: Engram, filters: Mapping[str, Any], limit: int, look_every: float = LOOK_EVERY
) -> Iterator[Mapping[str, Any]]:
    """Yield the last `limit` entries, oldest first, and then what comes, without an end. `look_every` in seconds."""
    page: Any = client.list_requests(**filters, limit=min(limit, 200))
    entries = page["entries"][::-1]
    shown: dict[str, None] = {}
    while True:
        for entry in entries:
            if entry["request_id"] not in shown:
                shown[entry["request_id"]] = None
                yield entry
        for old in list(shown)[:-REMEMBERED]:
            del shown[old]
        if len(entries) < 200:
            time.sleep(look_every)
        page = client.list_requests(**filters, limit=200, after=page["after"])
        entries = page["entries"]


def _newest(client: Engram, filters: Mapping[str, Any], limit: int) -> Iterator[Mapping[str, Any]]:
    cursor = None
    while limit > 0:
        page: Any = client.list_requests(**filters, limit=min(limit, 200), cursor=cursor)
        yield from page["entries"]
        limit -= len(page["entries"])
        cursor = page["next_cursor"]
        if not cursor:
            return


def _show_request(client: Engram, request_id: str, format: str | None) -> None:
    entry: Any = client.get_request(request_id)
    stages = [f"{stage['stage']} {stage['ms']:.1f} ms" for stage in entry["trace"]]
    row = {**entry, "trace": stages, "key": entry["key_name"]}
    columns = ("endpoint", "created_at", "http_status", "code", "milliseconds", "charged", "key", "address")
    show(Shown(entry, [row], (*columns, "subjects", "trace", "request_body", "response_body")), format)


def _line(entry: Mapping[str, Any]) -> str:
    return "  ".join(plain(entry[column]) for column in LOG_COLUMNS)


def _parse_time(text: str, *, ahead: bool) -> str:
    """A time as ISO 8601; a span like 30d counts from now. Raises `UsageFailed`."""
    if span := SPAN.fullmatch(text):
        distance = timedelta(**{UNITS[span[2]]: int(span[1])})
        return (datetime.now(UTC) + (distance if ahead else -distance)).isoformat()
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise UsageFailed(f"“{text}” is no time: write 30d or 2026-01-31T12:00:00Z.") from None
    return (read if read.tzinfo else read.astimezone()).isoformat()
