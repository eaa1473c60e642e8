"""The command with its subcommands, and how failures are shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from engram_cli import configuration
from engram_cli.failures import CommandFailed
from engram_cli.output import printable

# Where each command is: a module of `commands`, and a function or a group of commands in it.
COMMANDS = {
    "add": ("memories", "add"),
    "search": ("memories", "search"),
    "get": ("memories", "get"),
    "origin": ("memories", "origin"),
    "update": ("memories", "update"),
    "delete": ("memories", "delete"),
    "chat": ("memories", "chat"),
    "extract": ("memories", "extract"),
    "rerank": ("memories", "rerank"),
    "feedback": ("memories", "feedback"),
    "message": ("memories", "message"),
    "status": ("memories", "status"),
    "login": ("login", "login"),
    "doctor": ("connection", "doctor"),
    "init": ("agents", "init"),
    "usage": ("administration", "usage"),
    "logs": ("administration", "logs"),
    "key": ("administration", "key"),
    "kb": ("knowledge", "app"),
    "skill": ("skill", "app"),
    "config": ("settings", "app"),
    "project": ("connection", "project"),
}


class CommandsByName(Mapping[str, Any]):
    """Imports and makes a command when it is asked for: to make all of them takes a fifth of the time of a search."""

    def __getitem__(self, name: str) -> Any:
        module, attribute = COMMANDS[name]
        command = getattr(import_module(f"engram_cli.commands.{module}"), attribute)
        alone = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
        if isinstance(command, typer.Typer):
            alone.add_typer(command, name=name)
            return typer.main.get_group(alone).commands[name]
        alone.command(name)(command)
        return typer.main.get_command(alone)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class Commands(TyperGroup):
    """The group of all commands."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "commands": CommandsByName()})


app = typer.Typer(
    cls=Commands,
    name="engram",
    help="Long-term memory of your applications and agents, from a terminal.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # importing rich takes longer than all of the rest
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        from engram_client.version import VERSION  # with it comes httpx, which help does not wait for

        print(f"engram {VERSION}")
        raise typer.Exit


@app.callback()
def main(
    api_key: Annotated[str | None, typer.Option(help="In place of the configured key.")] = None,
    base_url: Annotated[str | None, typer.Option(help="In place of the configured address.")] = None,
    version: Annotated[bool, typer.Option("--version", callback=_print_version, is_eager=True)] = False,
) -> None:
    """Long-term memory of your applications and agents, from a terminal."""
    configuration.reset()
    configuration.give("api_key", api_key)
    configuration.give("base_url", base_url)


def run() -> None:
    """Entry point. Exit codes: 0 done, 1 refused or failed, 2 wrong use or nothing in the API for it."""
    try:
        app()
    except CommandFailed as error:
        _fail(error)
    except BrokenPipeError:  # `engram get | head`: nobody reads on
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


def _fail(failure: CommandFailed) -> None:
    if "json" in sys.argv and {"--format", "-f"} & set(sys.argv):
        error = {"message": str(failure), **failure.details}
        print(json.dumps({"error": error}, ensure_ascii=False), file=sys.stderr)
    else:
        print(f"Error: {printable(str(failure))}", file=sys.stderr)
    raise SystemExit(failure.exit_code)
