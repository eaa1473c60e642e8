"""Talks written as plays, told to a session: U the user, A the agent, C a call of a tool, R its result, S a program."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from tests.support.api_client import Tenant


def build_messages(play: str) -> list[dict[str, Any]]:
    """In OpenAI's form. `C: name {json}` is answered by `R: name text`."""
    return [_message(*line.split(": ", 1)) for line in play.strip().splitlines()]


def _message(who: str, text: str) -> dict[str, Any]:
    name, _, rest = text.partition(" ")
    match who:
        case "C":
            call = {"id": f"call-{name}", "type": "function", "function": {"name": name, "arguments": rest}}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        case "R":
            return {"role": "tool", "tool_call_id": f"call-{name}", "content": rest}
        case "S":
            return {"role": "system", "content": text}
    return {"role": "user" if who == "U" else "assistant", "content": text}


def tell(tenant: Tenant, session_id: str, play: str) -> list[str]:
    """Stored as the call of the contract stores them, without a request for each. The ids of the messages."""
    from skills.message_formats import normalise_message
    from skills.sessions.messages import NewMessage, store_message

    messages = [NewMessage.of(normalise_message("openai", blob)) for blob in build_messages(play)]
    project, session = tenant.project, UUID(session_id)
    return [str(store_message(project, session, message, {})[0].pk) for message in messages]
