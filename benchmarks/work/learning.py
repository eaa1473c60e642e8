"""How long after its last message a session of 20 messages is learned, with the rules and nobody asking for a flush.

    python -m benchmarks.work.learning [--times 3]

Eight seconds of it are the time for which a session must be silent. The rest is reading the messages, distilling the
tasks, writing the skills, and the notifications in between.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import httpx

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine, percentile

PROMISED_SECONDS = 20.0
IDLE_SECONDS = 8.0
LONGEST_WAIT_SECONDS = 120.0
CITIES = ("Vienna", "Lisbon", "Oslo", "Rome", "Prague")

Message = dict[str, Any]


def run_measurement(times: int) -> Report:
    report = Report("learning", circumstances=machine() | {"sessions": times, "messages": 20})
    with installation() as (stack, developer), _client(stack.url, developer) as client:
        _learn(client, "Paris")  # the worker's model
        rounds = [_learn(client, CITIES[number % len(CITIES)]) for number in range(times)]
    seconds = [session[0] for session in rounds]
    report.tables = [
        Table(
            "from the last of 20 messages until the learning record says completed, in s",
            ["", "seconds", "of it after the silence", "tasks", "files of skills"],
            [
                [f"session {number}", took, took - IDLE_SECONDS, tasks, files]
                for number, (took, tasks, files) in enumerate(rounds, 1)
            ],
        )
    ]
    report.promises = [
        Promise("seconds until learned, the slowest", percentile(seconds, 100), PROMISED_SECONDS)
    ]
    return report


def _client(url: str, developer: Developer) -> httpx.Client:
    key = developer.headers["Authorization"].removeprefix("Token ")
    headers = {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=f"{url}/api/v1/", headers=headers, timeout=30, trust_env=False)


def _learn(client: httpx.Client, city: str) -> tuple[float, int, int]:
    """Seconds; and what came of the session: its tasks, and the files in the skills of its space."""
    space, session = _post(client, "learning_spaces")["id"], _post(client, "session")["id"]
    _post(client, f"learning_spaces/{space}/learn", session_id=session)
    for blob in talk(city):
        _post(client, f"session/{session}/messages", blob=blob)
    began = time.perf_counter()
    record = f"learning_spaces/{space}/sessions/{session}"
    while (status := _get(client, record)["status"]) != "completed":
        if status == "failed" or time.perf_counter() - began > LONGEST_WAIT_SECONDS:
            raise RuntimeError(f"the session was not learned: {status}")
        time.sleep(0.1)
    took = time.perf_counter() - began
    tasks = _get(client, f"session/{session}/task")["items"]
    skills = _get(client, f"learning_spaces/{space}/skills")
    return took, len(tasks), sum(len(skill["file_index"]) for skill in skills)


def _post(client: httpx.Client, path: str, **body: Any) -> Any:
    return client.post(path, json=body).raise_for_status().json()["data"]


def _get(client: httpx.Client, path: str) -> Any:
    return client.get(path).raise_for_status().json()["data"]


def talk(city: str) -> list[Message]:
    """20 messages: three requests, tools that fail and then work, a complaint, people, preferences, thanks."""
    return [
        _user(f"Hi! I prefer trains over planes. Find me a train to {city} on Friday."),
        _call("1", "search_trains", f'{{"to": "{city}", "day": "friday"}}'),
        _result("1", '{"error": "day must be a date"}'),
        _call("2", "search_trains", f'{{"to": "{city}", "day": "2026-03-06"}}'),
        _result("2", '{"trains": [{"leaves": "08:15", "price": 59}]}'),
        _agent("There is a train at 08:15 for 59 euros. Shall I book it?"),
        _user("Yes, please. My colleague Alice Chen comes along; she is a product manager at Acme."),
        _call("3", "book_train", '{"leaves": "08:15", "seats": 2}'),
        _result("3", '{"ok": true, "code": "K7Q2"}'),
        _agent("I booked two seats on the 08:15, code K7Q2."),
        _user(f"Perfect, thanks! Now book a hotel in {city} for two nights."),
        _call("4", "book_hotel", f'{{"city": "{city}", "nights": 2}}'),
        _result("4", '{"ok": true, "hotel": "Central"}'),
        _agent("The Central is booked for two nights in one double room."),
        _user("That's wrong, we need two single rooms."),
        _call("5", "change_hotel", '{"hotel": "Central", "rooms": "2 single"}'),
        _result("5", '{"ok": true}'),
        _agent("I changed the booking to two single rooms because you travel with a colleague."),
        _user("Great. And write a packing list for cold weather."),
        _agent("Here is your list:\n1. A warm coat\n2. Gloves and a scarf\n3. Waterproof shoes"),
    ]


def _user(text: str) -> Message:
    return {"role": "user", "content": text}


def _agent(text: str) -> Message:
    return {"role": "assistant", "content": text}


def _call(number: str, name: str, arguments: str) -> Message:
    call = {"id": number, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(number: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": number, "content": text}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=3)
    run_measurement(parser.parse_args().times).publish()


if __name__ == "__main__":
    main()
