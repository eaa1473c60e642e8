"""Anthropic's memory tool: the files that Claude keeps below /memories, each a memory that nothing rewords."""

from __future__ import annotations

import asyncio
import posixpath
from dataclasses import dataclass
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from engram_client.client import Engram

ROOT = "/memories"
# Names in a memory's `info`, and how much of a file search compares.
IS_FILE, PATH, TEXT, MAX_SEARCHED = "memory_tool", "memory_tool_path", "memory_tool_text", 8_000
LINE_NUMBER_WIDTH = 6


@dataclass(frozen=True, slots=True)
class File:
    """One file, and the memories that hold it: one, and more only where two programs wrote it at the same time."""

    text: str
    memory_ids: list[str]


class EngramMemoryTool(BetaAbstractMemoryTool):
    """The memory tool of one end user or one agent.

    Answers and mistakes read as those of the local tool of Anthropic's package. A mistake of the model is a
    `ToolError`, a refusal of the server an `EngramError`; the package's runner shows both to the model.
    """

    def __init__(
        self, client: Engram, *, user_id: str | None = None, agent_id: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.client = client
        self.owner: Any = {"user_id": user_id} if user_id is not None else {"agent_id": agent_id}

    def view(self, command: Any) -> str:
        path, files = _parse_path(command.path), self._files()
        if path in files:
            return _numbered_file(path, files[path].text, command.view_range)
        below = {name: file for name, file in files.items() if name.startswith(f"{path}/")}
        if path != ROOT and not below:
            raise ToolError(f"The path {path} does not exist. Please provide a valid path.")
        return _listed(path, {name.removeprefix(f"{path}/"): file.text for name, file in below.items()})

    def create(self, command: Any) -> str:
        path, files = _parse_path(command.path), self._files()
        self._refuse_taken(path, files, f"File {path} already exists")
        self._write(path, command.file_text)
        return f"File created successfully at: {path}"

    def str_replace(self, command: Any) -> str:
        path = _parse_path(command.path)
        file = self._file(path)
        lines = [number for number, _ in _find_places(command.old_str, file.text)]
        if not lines:
            raise ToolError(
                f"No replacement was performed, old_str `{command.old_str}` did not appear verbatim in {path}."
            )
        if len(lines) > 1:
            raise ToolError(
                f"No replacement was performed. Multiple occurrences of old_str `{command.old_str}` in lines: "
                f"{', '.join(map(str, lines))}. Please ensure it is unique"
            )
        text = file.text.replace(command.old_str, command.new_str)
        self._replace(path, file, text)
        shown = text.split("\n")[max(0, lines[0] - 3) : lines[0] + 2]
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + _numbered(shown, max(1, lines[0] - 2))
        )

    def insert(self, command: Any) -> str:
        path = _parse_path(command.path)
        file = self._file(path)
        # An empty line at the end stays, which the package's local tool loses.
        lines = file.text.removesuffix("\n").split("\n") if file.text else []
        if not 0 <= command.insert_line <= len(lines):
            raise ToolError(
                f"Invalid `insert_line` parameter: {command.insert_line}. "
                f"It should be within the range [0, {len(lines)}]."
            )
        lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
        self._replace(path, file, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    def delete(self, command: Any) -> str:
        path = _parse_path(command.path)
        if path == ROOT:
            raise ToolError("Cannot delete the /memories directory itself")
        self._remove(list(self._tree(path).values()))
        return f"Successfully deleted {path}"

    def rename(self, command: Any) -> str:
        old, new = _parse_path(command.old_path), _parse_path(command.new_path)
        if old == ROOT:
            raise ToolError("Cannot rename the /memories directory itself")
        if new.startswith(f"{old}/"):
            raise ToolError(f"Cannot move {old} into itself")
        files = self._files()
        self._refuse_taken(new, files, f"The destination {new} already exists")
        tree = self._tree(old, files)
        for path, file in tree.items():
            self._write(new + path.removeprefix(old), file.text)
        self._remove(list(tree.values()))
        return f"Successfully renamed {old} to {new}"

    def clear_all_memory(self) -> str:
        self._remove(list(self._files().values()))
        return "All memory cleared"

    def _files(self) -> dict[str, File]:
        """All files by path, of each the version that was written last."""
        files: dict[str, File] = {}
        options: Any = {"include_preference": False, "include_tool_memory": False, **self.owner}
        for row in self.client.get_memories(filter={"and": [{IS_FILE: True}]}, **options):
            file = files.setdefault(row["info"][PATH], File(row["info"][TEXT], []))
            file.memory_ids.append(row["id"])
        return dict(sorted(files.items()))

    def _file(self, path: str) -> File:
        files = self._files()
        if path in files:
            return files[path]
        if path == ROOT or any(name.startswith(f"{path}/") for name in files):
            raise ToolError(f"The path {path} is not a file.")
        raise ToolError(f"The path {path} does not exist. Please provide a valid path.")

    def _tree(self, path: str, files: dict[str, File] | None = None) -> dict[str, File]:
        """A file, or all files of a directory."""
        files = self._files() if files is None else files
        subtree = {name: file for name, file in files.items() if name == path or name.startswith(f"{path}/")}
        if not subtree:
            raise ToolError(f"The path {path} does not exist")
        return subtree

    def _refuse_taken(self, path: str, files: dict[str, File], sentence: str) -> None:
        if path == ROOT or any(name == path or name.startswith(f"{path}/") for name in files):
            raise ToolError(sentence)
        blocking = next((name for name in files if path.startswith(f"{name}/")), None)
        if blocking is not None:
            raise ToolError(f"{blocking} is a file, not a directory")

    def _write(self, path: str, text: str) -> None:
        searched = f"{path}\n{text}"[:MAX_SEARCHED].replace("\0", " ")
        self.client.add_verbatim(searched, info={IS_FILE: True, PATH: path, TEXT: text}, **self.owner)

    def _replace(self, path: str, file: File, text: str) -> None:
        """The new version is there before the old one goes."""
        self._write(path, text)
        self._remove([file])

    def _remove(self, files: list[File]) -> None:
        memory_ids = [memory_id for file in files for memory_id in file.memory_ids]
        for start in range(0, len(memory_ids), 1_000):
            self.client.delete(memory_ids=memory_ids[start : start + 1_000])


class AsyncEngramMemoryTool(BetaAsyncAbstractMemoryTool):
    """The same for Anthropic's async client: each command runs in a thread."""

    def __init__(
        self, client: Engram, *, user_id: str | None = None, agent_id: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.tool = EngramMemoryTool(client, user_id=user_id, agent_id=agent_id)

    async def view(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.view, command)

    async def create(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.create, command)

    async def str_replace(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.str_replace, command)

    async def insert(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.insert, command)

    async def delete(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.delete, command)

    async def rename(self, command: Any) -> str:
        return await asyncio.to_thread(self.tool.rename, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self.tool.clear_all_memory)


def _parse_path(sent: str) -> str:
    """A path below /memories, without `.` and `..`. Raises `ToolError` for others."""
    path = posixpath.normpath(sent)
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with /memories, got: {sent}")
    return path


def _find_places(part: str, text: str) -> list[tuple[int, int]]:
    """Line and position of each place where the part begins; lines count from 1. An empty part is nowhere."""
    places: list[tuple[int, int]] = []
    position = text.find(part) if part else -1
    while position != -1:
        places.append((text.count("\n", 0, position) + 1, position))
        position = text.find(part, position + 1)
    return places


def _numbered(lines: list[str], first: int) -> str:
    return "\n".join(
        f"{number:>{LINE_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first)
    )


def _numbered_file(path: str, text: str, view_range: list[int] | None) -> str:
    lines, first = text.split("\n"), 1
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        lines = lines[first - 1 : None if view_range[1] == -1 else view_range[1]]
    return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"


def _listed(path: str, files: dict[str, str]) -> str:
    """Two levels of a directory with sizes; files deeper down count into the size of their directory."""
    sizes: dict[str, int] = {}
    for name, text in files.items():
        parts = name.split("/")
        if any(part.startswith(".") for part in parts[:2]):
            continue
        size = len(text.encode())
        for depth in (1, 2):
            if len(parts) >= depth:
                shown = "/".join(parts[:depth]) + ("/" if len(parts) > depth else "")
                sizes[shown] = sizes.get(shown, 0) + size
    total = sum(len(text.encode()) for text in files.values())
    lines = [f"{_size_text(total)}\t{path}"]
    lines += [f"{_size_text(size)}\t{path}/{name}" for name, size in sorted(sizes.items())]
    header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return header + "\n" + "\n".join(lines)


def _size_text(size: int) -> str:
    return (
        f"{size}B" if size < 1024 else f"{size / 1024:.1f}K" if size < 1024**2 else f"{size / 1024**2:.1f}M"
    )
