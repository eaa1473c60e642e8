"""kb: create, remove, add-file, list-file, get-file and delete-file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from engram_cli.commands.memories import confirm
from engram_cli.failures import UsageFailed
from engram_cli.options import Format, Yes, open_client
from engram_cli.output import Shown, show

app = typer.Typer(rich_markup_mode=None, help="Knowledge bases and their files.", no_args_is_help=True)
Base = Annotated[str, typer.Option("--kb-id", help="The id of a knowledge base.")]
COLUMNS = ("name", "status", "state", "reason", "id")


@app.command()
def create(
    name: Annotated[str, typer.Option(help="What it is called.")],
    description: Annotated[str, typer.Option(help="What is in it.")] = "",
    format: Format = None,
) -> None:
    """Make a knowledge base that is linked to the project."""
    with open_client() as client:
        base = client.create_knowledge_base(name, description)
    show(Shown({"id": base}, [{"name": name, "id": base}], ("name", "id")), format)


@app.command()
def remove(
    kb_id: Annotated[str, typer.Argument(help="The id of a knowledge base.")],
    yes: Yes = False,
    format: Format = None,
) -> None:
    """Take a knowledge base out of the project; its files stay."""
    if not yes:
        confirm(f"Take knowledge base {kb_id} out of the project?")
    with open_client() as client:
        answer = client.remove_knowledge_base(kb_id)
    show(Shown(answer, [{"result": "removed", "id": kb_id}], ("result", "id")), format)


@app.command("add-file")
def add_file(
    files: Annotated[list[str], typer.Argument(help="Files of this machine, or http(s) addresses.")],
    kb_id: Base,
    type: Annotated[str | None, typer.Option(help="document or skill.")] = None,
    format: Format = None,
) -> None:
    """Add files to a knowledge base."""
    addresses = [file for file in files if file.startswith(("http://", "https://"))]
    paths = [Path(file) for file in files if file not in addresses]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        raise UsageFailed(f"Not a file: {', '.join(missing)}")
    added: list[Any] = []
    with open_client(timeout=600) as client:
        if paths:
            added += _upload(client, kb_id, paths, type)
        if addresses:
            added += client.add_files(kb_id, [{"content": address} for address in addresses], type=type)
    show(Shown(added, added, ("name", "status", "id")), format)


def _upload(client: Any, kb_id: str, paths: list[Path], type: str | None) -> list[Any]:
    """With a progress bar on a terminal."""
    if not sys.stderr.isatty():
        return list(client.upload_files(kb_id, paths, type=type))
    # Rich is imported for a terminal only, as for tables.
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("Uploading"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("upload", total=sum(path.stat().st_size for path in paths))
        return list(
            client.upload_files(
                kb_id,
                paths,
                type=type,
                on_progress=lambda sent, total: progress.update(bar, completed=sent, total=total),
            )
        )


@app.command("list-file")
def list_file(
    kb_id: Base,
    type: Annotated[str | None, typer.Option(help="document or skill.")] = None,
    format: Format = None,
) -> None:
    """List the files of a knowledge base with the step that each is at."""
    with open_client() as client:
        files: Any = list(client.list_files(kb_id, type=type))
    show(Shown(files, files, COLUMNS, "The knowledge base has no files."), format)


@app.command("get-file")
def get_file(
    file_ids: Annotated[list[str], typer.Argument(help="Ids of files.")], format: Format = None
) -> None:
    """Show files and how far they are."""
    with open_client() as client:
        files: Any = client.get_files(file_ids)
    show(Shown(files, files, COLUMNS), format)


@app.command("delete-file")
def delete_file(
    file_ids: Annotated[list[str], typer.Argument(help="Ids of files.")],
    yes: Yes = False,
    format: Format = None,
) -> None:
    """Delete files with what was read from them."""
    if not yes:
        confirm(f"Delete {len(file_ids)} files for good?")
    with open_client() as client:
        answer = client.delete_files(file_ids)
    show(Shown(answer, [{"result": "deleted", "what": file_ids}], ("result", "what")), format)
