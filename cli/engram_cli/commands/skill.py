"""skill: list, show, upload, download and delete."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from engram_cli.commands.memories import confirm
from engram_cli.failures import UsageFailed
from engram_cli.options import Format, Yes, open_client
from engram_cli.output import Shown, printable, show

app = typer.Typer(
    rich_markup_mode=None, help="Skills: folders of files with a SKILL.md.", no_args_is_help=True
)
Owner = Annotated[str | None, typer.Option("--user", "-u", help="The person whose skills are meant.")]
SkillId = Annotated[str, typer.Argument(help="The id of a skill.")]
COLUMNS = ("name", "description", "id")


@app.command("list")
def list_skills(user: Owner = None, format: Format = None) -> None:
    """List skills."""
    with open_client() as client:
        skills: Any = list(client.list_skills(user))
    show(Shown(skills, skills, COLUMNS, "There are no skills."), format)


@app.command("show")
def show_skill(
    skill_id: SkillId,
    file: Annotated[str | None, typer.Option(help="A file of it, as text.")] = None,
    format: Format = None,
) -> None:
    """Show a skill and its files, or the text of one."""
    with open_client() as client:
        if file:
            content: Any = client.get_skill_file(skill_id, file)
            text = content["content"]["raw"] if "content" in content else content["url"]
            if format == "json":
                show(Shown(content, [], ()), format)
            else:
                print(printable(text))
            return
        skill: Any = client.get_skill(skill_id)
    row = {**skill, "files": [file["path"] for file in skill["file_index"]]}
    show(Shown(skill, [row], ("name", "description", "files", "id")), format)


@app.command()
def upload(
    source: Annotated[Path, typer.Argument(help="A folder with a SKILL.md, or a ZIP archive.")],
    user: Owner = None,
    format: Format = None,
) -> None:
    """Upload a skill."""
    if not source.exists():
        raise UsageFailed(f"Not there: {source}")
    if source.is_dir() and not any(source.rglob("SKILL.md")):
        raise UsageFailed(f"No SKILL.md in {source}")
    with open_client() as client:
        skill: Any = client.upload_skill(source, user=user)
    show(Shown(skill, [skill], COLUMNS), format)


@app.command()
def download(
    skill_id: SkillId,
    to: Annotated[Path | None, typer.Option("--to", "-o", help="The file to write.")] = None,
    force: Annotated[bool, typer.Option(help="Overwrite the file.")] = False,
) -> None:
    """Download a skill as a ZIP archive."""
    target = to or Path(f"{skill_id}.zip")
    if target.exists() and not force:
        raise UsageFailed(f"{target} exists: use --force, or another --to.")
    with open_client() as client:
        target.write_bytes(client.download_skill(skill_id))
    print(target)


@app.command()
def delete(skill_id: SkillId, yes: Yes = False, format: Format = None) -> None:
    """Delete a skill."""
    if not yes:
        confirm(f"Delete skill {skill_id} for good?")
    with open_client() as client:
        client.delete_skill(skill_id)
    show(Shown({"success": True}, [{"result": "deleted", "id": skill_id}], ("result", "id")), format)
