"""Messages in the formats of published clients."""

from __future__ import annotations

from typing import Any

CALL = {"id": "t1", "type": "function", "function": {"name": "get_order", "arguments": '{"order": 17}'}}
OPENAI: dict[str, dict[str, Any]] = {
    "a user": {"role": "user", "content": "Where is my order?"},
    "a user with a name": {"role": "user", "content": "Hi", "name": "Kim"},
    "one text in a list": {"role": "user", "content": [{"type": "text", "text": "Hi"}]},
    "a picture": {
        "role": "user",
        "content": [
            {"type": "text", "text": "What is this?"},
            {"type": "image_url", "image_url": {"url": "https://example.org/a.png", "detail": "low"}},
        ],
    },
    "sound and a file": {
        "role": "user",
        "content": [
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            {"type": "file", "file": {"file_id": "f1"}},
        ],
    },
    "a system prompt": {"role": "system", "content": "Be brief."},
    "a developer": {"role": "developer", "content": "Be brief."},
    "an answer": {"role": "assistant", "content": "On its way."},
    "only calls": {"role": "assistant", "tool_calls": [CALL]},
    "a call with words": {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]},
    "a custom tool": {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "custom", "custom": {"name": "run", "input": "ls -l"}}],
    },
    "a tool's result": {"role": "tool", "tool_call_id": "t1", "content": "shipped"},
    "a tool that answers nothing": {"role": "tool", "tool_call_id": "t1", "content": ""},
    "an old call": {"role": "assistant", "function_call": {"name": "f", "arguments": "{}"}},
    "an old result": {"role": "function", "name": "f", "content": "42"},
}
ANTHROPIC: dict[str, dict[str, Any]] = {
    "a text": {"role": "user", "content": "Where is my order?"},
    "a call after thinking": {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "I should look.", "signature": "s"},
            {"type": "redacted_thinking", "data": "xyz"},
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t1", "name": "get_order", "input": {"order": 17}},
        ],
    },
    "a result and a word": {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": "shipped", "is_error": True},
            {"type": "text", "text": "And?", "cache_control": {"type": "ephemeral"}},
        ],
    },
    "files": {
        "role": "user",
        "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            {"type": "document", "source": {"type": "url", "url": "https://example.org/a.pdf"}, "title": "A"},
        ],
    },
}
