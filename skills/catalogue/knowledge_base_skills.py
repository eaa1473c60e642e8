"""Skills that were uploaded as files of a knowledge base."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from uuid import UUID

from memories.files.storage import UncommittedFiles, open_stored
from memories.models import MemCube
from memories.text.words.language_detection import detect_language
from skills.catalogue.search_memory import recall_text, write_recall_memory
from skills.catalogue.write import (
    NewSkill,
    SkillChanges,
    create_skill,
    delete_skill,
    embed_skill,
    revise_skill,
)
from skills.models import Skill
from skills.packages.files import NewFile, count_skill_bytes, list_skill_files, store_files
from skills.packages.ownership import SkillOwner
from skills.packages.package import open_package
from skills.packages.skill_md import SkillText
from skills.packages.unpack import SKILL_MD
from skills.values import SkillOrigin

ACTOR = "upload"


@dataclass(frozen=True, slots=True)
class PreparedUpload:
    """A package that was read, stored and embedded, ready to be written."""

    cube: MemCube
    text: SkillText
    files: list[NewFile]
    vector: list[float]


def prepare_upload(
    cube: MemCube, storage_key: str, *, is_zip: bool, kept: UncommittedFiles
) -> PreparedUpload:
    """Everything slow, outside of transactions. Raises `PackageRefused`, `FileNotFoundError`, `OperationFailed`."""
    with open_stored(storage_key) as file, open_package(file, is_zip=is_zip) as package:
        files = store_files(SkillOwner.of_cube(cube), package.files, kept)
    return PreparedUpload(cube, package.skill, files, embed_skill(package.skill))


def count_bytes_to_come(prepared: PreparedUpload, source_file: UUID, replaced: Iterable[UUID] = ()) -> int:
    """Bytes that writing it adds to what the skill's versions hold already."""
    known = _find_skill(prepared.cube, [source_file, *replaced])
    now = {file.path: file.sha256 for file in list_skill_files(known)} if known else {}
    return sum(file.size for file in _keep_spelling(now, prepared.files) if now.get(file.path) != file.sha256)


def write_upload(prepared: PreparedUpload, source_file: UUID, replaced: Iterable[UUID] = ()) -> Skill:
    """The skill of this file, in the caller's transaction: a new version where one of the replaced files, or an
    earlier run with this one, has made it already."""
    known = _find_skill(prepared.cube, [source_file, *replaced])
    if known is None:
        return create_skill(
            NewSkill(
                SkillOwner.of_cube(prepared.cube),
                prepared.text,
                prepared.files,
                SkillOrigin.UPLOADED,
                ACTOR,
                "uploaded",
                language=detect_language(recall_text(prepared.text)),
                source_file=source_file,
            ),
            prepared.vector,
        )
    if known.source_file != source_file:
        known.source_file = source_file
        known.save(update_fields=["source_file"])
    return _write_next_version(known, prepared)


def _write_next_version(skill: Skill, prepared: PreparedUpload) -> Skill:
    now = {file.path: file.sha256 for file in list_skill_files(skill)}
    files = _keep_spelling(now, prepared.files)
    wanted = {file.path: file.sha256 for file in files}
    if now == wanted:
        if skill.memory_id is None:  # a member deleted it; processing the file again restores it
            write_recall_memory(skill, prepared.vector)
        return skill
    changed = [file for file in files if now.get(file.path) != file.sha256]
    changes = SkillChanges(
        texts=dict.fromkeys(now.keys() - wanted.keys())
        | {file.path: file.text for file in changed if file.text is not None},
        files=[file for file in changed if file.text is None],
    )
    return revise_skill(skill, changes, actor=ACTOR, reason="uploaded again", vector=prepared.vector)


def _keep_spelling(paths: Iterable[str], files: Iterable[NewFile]) -> list[NewFile]:
    """The files of a package, whose SKILL.md has the path that the skill has it under: case does not count there."""
    known = next((path for path in paths if path.lower() == SKILL_MD), None)
    return [replace(file, path=known) if known and file.path.lower() == SKILL_MD else file for file in files]


def _find_skill(cube: MemCube, files: Iterable[UUID]) -> Skill | None:
    rows = Skill.objects.within(cube.account_id).filter(cube=cube, source_file__in=list(files))
    skill: Skill | None = rows.select_related("cube", "memory").order_by("created_at").first()
    return skill


def find_file_skill(cube: MemCube, source_file: UUID) -> Skill | None:
    """The skill of a file; inside the scope."""
    return _find_skill(cube, [source_file])


def delete_upload(cube: MemCube, source_file: UUID) -> int:
    """Delete the skill of a deleted file, in the caller's transaction. Returns the bytes that its versions held."""
    skill = _find_skill(cube, [source_file])
    if skill is None:
        return 0
    freed = count_skill_bytes(skill)
    delete_skill(skill)
    return freed
