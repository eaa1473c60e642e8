"""config: set, get, unset, list and path."""

from __future__ import annotations

from typing import Annotated

import typer

from engram_cli import configuration
from engram_cli.failures import CommandFailed, UsageFailed
from engram_cli.options import Format
from engram_cli.output import Shown, show

app = typer.Typer(rich_markup_mode=None, help="What is kept in the configuration file.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help=f"One of {', '.join(configuration.SETTINGS)}.")]


def _check(name: str, value: str) -> None:
    if name not in configuration.SETTINGS:
        raise UsageFailed(f"There is no setting {name}: use {', '.join(configuration.SETTINGS)}.")
    if name == "format" and value not in configuration.FORMATS:
        raise UsageFailed(f"There is no format {value}: use {', '.join(configuration.FORMATS)}.")
    if name == "base_url" and not value.startswith(("http://", "https://")):
        raise UsageFailed("An address begins with http:// or https://.")


@app.command("set")
def set_value(name: Name, value: Annotated[str, typer.Argument(help="Its value.")]) -> None:
    """Keep a setting."""
    _check(name, value)
    configuration.write(configuration.read() | {name: value})


@app.command()
def unset(name: Name) -> None:
    """Remove a setting."""
    configuration.write({key: value for key, value in configuration.read().items() if key != name})


@app.command("get")
def get_value(name: Name) -> None:
    """Print a setting as commands see it: environment before file."""
    value = configuration.get_value(name)
    if not value:
        raise CommandFailed(f"{name} is not set.")
    print(value)


@app.command("list")
@app.command("show", hidden=True)
def list_values(format: Format = None) -> None:
    """List all settings; of the key only its ends."""
    rows = []
    for name, purpose in configuration.SETTINGS.items():
        value = configuration.get_value(name)
        rows.append(
            {
                "setting": name,
                "value": configuration.masked(value) if name == "api_key" and value else value,
                "for": purpose,
            }
        )
    data = {row["setting"]: row["value"] for row in rows}
    show(Shown(data, rows, ("setting", "value", "for")), format)


@app.command("path")
def print_path() -> None:
    """Print where the configuration file is."""
    print(configuration.path())
