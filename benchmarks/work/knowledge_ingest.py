"""How long from the upload of a long PDF until all of it can be searched, with the local embedder.

    python -m benchmarks.work.knowledge_ingest [--pages 100] [--times 3]

The clock runs from the first byte of the request to the moment at which a question about the last page is answered by
it; every tenth page is asked for at once, found by its words, and again when the API calls the file completed, found by
its meaning too.
"""

from __future__ import annotations

import argparse
import base64
import io
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import httpx
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate
from tqdm import tqdm

from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import Promise, Report, Table, machine
from benchmarks.support.sentences import statement

SECONDS = 30.0
CHARACTERS_OF_A_PAGE = 3_000
PARAGRAPH = 6
LONGEST_WAIT_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Ingested:
    """One upload: the seconds until it was found, until each state was first seen, and what came of it."""

    seconds: float
    states: dict[str, float]
    passages: int
    pages_found_first: int
    pages_found: int
    asked: int


def run_measurement(pages: int, times: int) -> Report:
    report = Report("knowledge_ingest", circumstances=machine() | {"pages": pages, "times": times})
    with installation() as (_, developer):
        _warm_up(developer)
        runs = []
        for number in tqdm(range(times), unit="upload", desc="knowledge"):
            runs.append(_ingest(developer, number, pages))
    seconds = [run.seconds for run in runs]
    report.circumstances |= {"characters": pages * CHARACTERS_OF_A_PAGE}
    report.tables = [
        Table(
            f"a text PDF of {pages} pages, from the request until it can be searched",
            [
                "",
                "searchable s",
                "completed s",
                "passages",
                "pages found at once",
                "pages found when completed",
            ],
            [
                [
                    f"upload {number}",
                    round(run.seconds, 1),
                    round(run.states["completed"], 1),
                    run.passages,
                    f"{run.pages_found_first} of {run.asked}",
                    f"{run.pages_found} of {run.asked}",
                ]
                for number, run in enumerate(runs, 1)
            ],
        ),
    ]
    report.promises = [
        Promise("seconds until searchable, median", median(seconds), SECONDS),
        Promise(
            "pages asked for at once and not found", sum(run.asked - run.pages_found_first for run in runs), 0
        ),
        Promise(
            "pages asked for when completed and not found",
            sum(run.asked - run.pages_found for run in runs),
            0,
        ),
    ]
    return report


def document(number: int, pages: int) -> bytes:
    """Text in headings and paragraphs; no two pages of any document say the same."""
    styles, story = getSampleStyleSheet(), []
    for page in range(pages):
        story.append(Paragraph(f"Section {page + 1}: {_code(number, page)}", styles["Heading2"]))
        first, lines, size = (number * pages + page) * 40, [], 0
        while size < CHARACTERS_OF_A_PAGE:
            lines.append(statement(first + len(lines), "The team"))
            size += len(lines[-1])
        lines[0] = f"The access code of {_code(number, page)} is {7919 * (page + 1) + number}."
        story += [
            Paragraph(" ".join(lines[start : start + PARAGRAPH]), styles["BodyText"])
            for start in range(0, len(lines), PARAGRAPH)
        ]
        story.append(PageBreak())
    out = io.BytesIO()
    SimpleDocTemplate(out, pagesize=A4, topMargin=30, bottomMargin=30).build(story)
    return out.getvalue()


def _code(number: int, page: int) -> str:
    return f"archive {chr(65 + page % 26)}{page}-{number}"


def _warm_up(developer: Developer) -> None:
    """The worker's model and its child are loaded once, not for each file."""
    with httpx.Client(timeout=60, trust_env=False) as client:
        base = _new_base(client, developer, "warm")
        _upload(client, developer, base, "warm.md", b"# Warm\n\nThe oven is warm.")
        _watch(client, developer, base)


def _ingest(developer: Developer, number: int, pages: int) -> Ingested:
    content = document(number, pages)
    with httpx.Client(timeout=60, trust_env=False) as client:
        base = _new_base(client, developer, f"base {number}")
        began = time.perf_counter()
        _upload(client, developer, base, f"manual-{number}.pdf", content)
        asked = range(0, pages, 10)
        while not _finds(client, developer, base, number, pages - 1):
            time.sleep(0.25)
        seconds = time.perf_counter() - began
        found_first = sum(_finds(client, developer, base, number, page) for page in asked)
        states = _watch(client, developer, base, began)
        found_later = sum(_finds(client, developer, base, number, page) for page in asked)
    return Ingested(seconds, states, _passages(developer, base), found_first, found_later, len(asked))


def _call(client: httpx.Client, developer: Developer, path: str, body: dict[str, Any]) -> Any:
    answer = client.post(f"{developer.api_base}/{path}", json=body, headers=developer.headers).json()
    if answer["code"] != 0:
        raise RuntimeError(f"{path}: {answer}")
    return answer["data"]


def _new_base(client: httpx.Client, developer: Developer, name: str) -> str:
    return str(_call(client, developer, "create/knowledgebase", {"knowledgebase_name": name})["id"])


def _upload(client: httpx.Client, developer: Developer, base: str, name: str, content: bytes) -> None:
    file = {"name": name, "content": base64.b64encode(content).decode()}
    _call(client, developer, "add/knowledgebase-file", {"knowledgebase_id": base, "file": [file]})


def _watch(
    client: httpx.Client, developer: Developer, base: str, began: float | None = None
) -> dict[str, float]:
    """When each state was first seen in the database; over when the API says that the file is."""
    began = time.perf_counter() if began is None else began
    seen: dict[str, float] = {}
    while time.perf_counter() - began < LONGEST_WAIT_SECONDS:
        seen.setdefault(_state(developer, base), time.perf_counter() - began)
        body = {"knowledgebase_id": base, "page_size": 1}
        [file] = _call(client, developer, "get/knowledgebase-file", body)["file_detail_list"]
        if file["status"] == "failed":
            raise RuntimeError("the file failed")
        if file["status"] == "completed":
            return seen
        time.sleep(0.1)
    raise RuntimeError("the file did not come to its end")


def _state(developer: Developer, base: str) -> str:
    from knowledgebase.models import KnowledgeFile
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.get(pk=developer.project_id)
    with tenant_scope(project):
        rows = KnowledgeFile.objects.within(project.account_id).filter(base__public_id=base)
        return str(rows.values_list("state", flat=True).get())


def _finds(client: httpx.Client, developer: Developer, base: str, number: int, page: int) -> bool:
    body = {
        "user_id": "reader",
        "query": f"What is the access code of {_code(number, page)}?",
        "knowledgebase_ids": [base],
        "relativity": 0,
    }
    memories = _call(client, developer, "search/memory", body)["memory_detail_list"]
    return any(
        f"is {7919 * (page + 1) + number}." in " ".join(memory["memory_value"].split()) for memory in memories
    )


def _passages(developer: Developer, base: str) -> int:
    from knowledgebase.models import KnowledgeBase
    from memories.models import Memory
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.get(pk=developer.project_id)
    with tenant_scope(project):
        cube = KnowledgeBase.objects.within(project.account_id).get(public_id=base).cube_id
        return int(Memory.objects.within(cube).current().count())


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    run_measurement(asked.pages, asked.times).publish()


if __name__ == "__main__":
    main()
