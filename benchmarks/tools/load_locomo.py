"""Loads long two-person conversations through the API, to look at them in the console.

    LOCOMO_JSON=path/to/locomo.json python -m benchmarks.tools.load_locomo [--wait]

The data is not part of this project: LOCOMO_JSON names a file in LoCoMo's own format. Without --base-url and
--api-key the installation that runs on ENGRAM_DATA is used. Every conversation becomes an end user of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
from tqdm import tqdm

from console.configuration import environment

CHUNK = 40  # messages in one request
POLL_SECONDS = 0.5
WRITTEN = "%I:%M %p on %d %B, %Y"  # "1:56 pm on 8 May, 2023"


def load(api: httpx.Client, samples: list[dict[str, Any]], waits: bool) -> None:
    chunks = [chunk for sample in samples for chunk in _requests(sample)]
    tasks = []
    with tqdm(total=sum(len(chunk["messages"]) for chunk in chunks), unit="message", desc="add") as bar:
        for chunk in chunks:
            tasks.append(_post(api, "add/message", chunk)["task_id"])
            bar.update(len(chunk["messages"]))
    if waits:
        for task in tqdm(tasks, unit="task", desc="refine"):
            while _post(api, "get/status", {"task_id": task})["status"] == "running":
                time.sleep(POLL_SECONDS)


def _requests(sample: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One conversation a session, in requests of at most CHUNK messages."""
    talk, user = sample["conversation"], sample["sample_id"]
    for number in range(1, 1 + sum(name.startswith("session_") for name in talk)):
        turns = talk.get(f"session_{number}")
        if not isinstance(turns, list):
            continue
        started_at = datetime.strptime(talk[f"session_{number}_date_time"].upper(), WRITTEN)
        for first in range(0, len(turns), CHUNK):
            part = turns[first : first + CHUNK]
            yield {
                "user_id": user,
                "conversation_id": f"{user}-session-{number}",
                "messages": [_message(turn, talk["speaker_a"], started_at) for turn in part],
            }


def _message(turn: dict[str, Any], first_speaker: str, started_at: datetime) -> dict[str, Any]:
    caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return {
        "role": "user" if turn["speaker"] == first_speaker else "assistant",
        "content": f"{turn['speaker']}: {turn['text']}{caption}",
        "chat_time": f"{started_at:%Y-%m-%d %H:%M:%S}",
    }


def _post(api: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answer's data. Waits as long as a refusal for speed says, and ends at any other refusal."""
    while True:
        answer = api.post(path, json=body)
        if answer.status_code != 429:
            break
        time.sleep(float(answer.headers.get("Retry-After", 1)))
    content: dict[str, Any] = answer.json()
    if content["code"] != 0:
        sys.exit(f"{path}: [{content['code']}] {content['message']}")
    data: dict[str, Any] = content["data"]
    return data


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base-url", help="such as http://localhost:8000/api/openmem/v1")
    parser.add_argument("--api-key")
    parser.add_argument("--wait", action="store_true", help="until the worker has refined everything")
    asked = parser.parse_args()
    path = os.environ.get("LOCOMO_JSON")
    if not path:
        parser.error("LOCOMO_JSON must name a file of LoCoMo conversations")
    demo = environment.read_data_folder() / "demo.json"
    if not (asked.base_url and asked.api_key) and not demo.exists():
        parser.error(f"give --base-url and --api-key, or start Engram first: there is no {demo}")
    tenant = {} if asked.base_url and asked.api_key else json.loads(demo.read_text())
    base, key = asked.base_url or tenant["api_base_url"], asked.api_key or tenant["api_key"]
    with httpx.Client(
        base_url=base, headers={"Authorization": f"Token {key}"}, timeout=60, trust_env=False
    ) as api:
        load(api, json.loads(Path(path).read_text()), asked.wait)


if __name__ == "__main__":
    main()
