"""Anthropic's published package with `EngramMemoryTool`, beside its own tool for local files."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Tenant
from tests.support.servers.unreliable import Answer, UnreliableServer

BEGIN = """
import asyncio, json, tempfile
from anthropic.lib.tools import ToolError
from engram_client import Engram
from engram_client.adapters.anthropic import AsyncEngramMemoryTool, EngramMemoryTool
client = Engram(retries=0, timeout=120)
tool = EngramMemoryTool(client, user_id="kim")
def run(tool, **command):
    try:
        return tool.call(command)
    except ToolError as fault:
        return f"error: {fault}"
def show(value):
    print(json.dumps(value))
"""
# No empty line at the end: the local tool loses one when it inserts.
TRICKY = "# Kim\n\nlikes  tea \U0001f375\r\n\tand 上海\nend\n"
# All commands in an order in which each mistake and each success happens; run on both tools.
COMMANDS: list[dict[str, Any]] = [
    {"command": "view", "path": "/memories/none.md"},
    {"command": "create", "path": "/memories/a.md", "file_text": TRICKY},
    {"command": "create", "path": "/memories/a.md", "file_text": "again"},
    {"command": "create", "path": "/memories/trips/2025/june.txt", "file_text": "Oslo\nPorto\nOslo"},
    {"command": "create", "path": "/etc/passwd", "file_text": "x"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "view", "path": "/memories/a.md", "view_range": [2, 3]},
    {"command": "view", "path": "/memories/a.md", "view_range": [3, -1]},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "tea", "new_str": "oolong"},
    {"command": "str_replace", "path": "/memories/a.md", "old_str": "coffee", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/trips/2025/june.txt", "old_str": "Oslo", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/trips", "old_str": "Oslo", "new_str": "x"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "top\n"},
    {"command": "insert", "path": "/memories/a.md", "insert_line": 99, "insert_text": "x"},
    {"command": "view", "path": "/memories/a.md"},
    {"command": "rename", "old_path": "/memories/trips", "new_path": "/memories/a.md"},
    {"command": "rename", "old_path": "/memories/trips", "new_path": "/memories/old"},
    {"command": "rename", "old_path": "/memories/trips", "new_path": "/memories/older"},
    {"command": "view", "path": "/memories/old/2025/june.txt"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/old"},
    {"command": "delete", "path": "/memories/old"},
    {"command": "view", "path": "/memories/old/2025/june.txt"},
]


LOCALLY_TOO = f"""
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
with tempfile.TemporaryDirectory() as folder:
    local = BetaLocalFilesystemMemoryTool(folder)
    both = [[run(local, **command), run(tool, **command)] for command in json.loads({json.dumps(COMMANDS)!r})]
"""
DIRECTORIES = """
lee = EngramMemoryTool(client, user_id="lee")
agent = EngramMemoryTool(client, agent_id="planner")
for who, text in ((tool, "of kim"), (lee, "of lee"), (agent, "of the agent")):
    run(who, command="create", path="/memories/notes/a.md", file_text=text)
run(tool, command="create", path="/memories/notes/deep/er/b.md", file_text="12345")
run(tool, command="create", path="/memories/.hidden", file_text="x")
seen = [run(who, command="view", path="/memories/notes/a.md")[-12:] for who in (tool, lee, agent)]
listed = run(tool, command="view", path="/memories")
recalled = client.search("What is in the notes of kim?", user_id="kim", relativity=0)
async def main():
    return await AsyncEngramMemoryTool(client, user_id="lee").call(
        {"command": "view", "path": "/memories/notes/a.md"})
later = asyncio.run(main())
tool.clear_all_memory()
apart = [seen, listed, len(recalled["memory_detail_list"]) > 0, later[-6:],
         run(tool, command="view", path="/memories"), run(lee, command="view", path="/memories/notes/a.md")[-6:]]
"""


def test_commands_answer_as_the_local_tool_and_users_never_mix(python: str, tenant: Tenant) -> None:
    """Directories first: all of the user's files are deleted at their end."""
    apart, both = run_program(python, f"{BEGIN}{DIRECTORIES}{LOCALLY_TOO}show([apart, both])", tenant)

    expect_directories(*apart)
    for command, (local, ours) in zip(COMMANDS, both, strict=True):
        assert ours == local, command


def expect_directories(
    seen: list[str], listed: str, is_recalled: bool, later: str, emptied: str, others: str
) -> None:
    assert [text.split("\t")[-1] for text in seen] == ["of kim", "of lee", "of the agent"[-12:]]
    assert listed.splitlines()[1:] == [
        "12B\t/memories",
        "11B\t/memories/notes/",
        "6B\t/memories/notes/a.md",
        "5B\t/memories/notes/deep/",
    ]
    assert is_recalled
    assert later == "of lee"
    assert emptied.splitlines()[1:] == ["0B\t/memories"]
    assert others == "of lee"


def message(*content: dict[str, Any], stop: str) -> Answer:
    """What the model says, as Anthropic's wire has it."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude-test"}
    return Answer(200, body | {"content": list(content), "stop_reason": stop, "usage": usage})


def use(**command: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": command}


def run_example(python: str, tenant: Tenant, model: UnreliableServer) -> Any:
    """What the model said, and the file that it wrote."""
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page.split("## Anthropic's memory tool\n")[1], re.S)
    assert example is not None
    look = 'show([answer.content[0].text, run(tool, command="view", path="/memories/kim.md")])'
    where = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "x"}
    return run_program(python, f"{example[1]}{BEGIN}{look}", tenant, **where)


def test_the_documented_example_runs(python: str, tenant: Tenant) -> None:
    with UnreliableServer() as model:
        model.answers = [
            message(
                use(command="create", path="/memories/kim.md", file_text="Kim eats no nuts."), stop="tool_use"
            ),
            message(use(command="create", path="/memories/big.md", file_text="x" * 20_000), stop="tool_use"),
            message({"type": "text", "text": "Noted."}, stop="end_turn"),
        ]
        answer, written = run_example(python, tenant, model)
        results = [json.loads(request.body)["messages"][-1]["content"][0] for request in model.received[1:]]
    assert answer == "Noted."
    assert written.endswith("Kim eats no nuts.")
    assert "created successfully" in json.dumps(results[0])
    assert results[1]["is_error"]
    assert "at most 16000 characters" in json.dumps(results[1])
