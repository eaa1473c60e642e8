"""The run as code: the same body as a request by curl, our Python and TypeScript clients, and an MCP call."""

from __future__ import annotations

import json
from typing import Any

from console.ui.texts.snippets import Snippet, render_snippet

# Who is asked for is in the address or headers of an MCP connection, not in the call.
OF_CONNECTION = ("user_id", "conversation_id")


def build_code_copies(body: dict[str, Any]) -> list[Snippet]:
    options = {name: value for name, value in body.items() if name != "query"}
    named = ",\n".join(f"    {name}={value!r}" for name, value in options.items())
    given = {name: value for name, value in body.items() if name not in OF_CONNECTION}
    call = {"name": "search_memory", "arguments": given | {"conversation_first_message": body["query"]}}
    text = {
        # Inside single quotes of a shell.
        "curl": _write_json(body).replace("'", "'\\''"),
        "python": f"    {body['query']!r},\n{named},",
        "typescript": f"{_write_json(body['query'])}, {_write_json(options)}",
        "mcp": _write_json({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}),
    }
    titles = {
        "curl": ("curl", "bash"),
        "python": ("Python", "python"),
        "typescript": ("TypeScript", "typescript"),
        "mcp": ("MCP", "json"),
    }
    return [
        Snippet(name, title, language, render_snippet(f"playground/{name}", sent=text[name]))
        for name, (title, language) in titles.items()
    ]


def _write_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
