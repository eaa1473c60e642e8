"""What recalling skills adds to a search.

    python -m benchmarks.search.skill_search [--own 1000] [--skills 40] [--queries 200]

One end user has memories and skills. Each question is asked with `include_skill` and, changed by one word, without, in
turn and in changing order; the server's own clock and the client's are both read, each without the embedding of its
request. The difference of the medians is what skills add.
"""

from __future__ import annotations

import argparse
import time

import httpx
from tqdm import tqdm

from benchmarks.search_overhead import Timed, with_traces
from benchmarks.support.installation import Developer, installation
from benchmarks.support.report import SPREAD_COLUMNS, Promise, Report, Table, machine, percentile, spread
from benchmarks.support.seeds import SEARCHER, seed
from benchmarks.support.sentences import THINGS, question

ADDED_MILLISECONDS = 5.0
WARM_UP = 30


def run_measurement(own: int, skills: int, queries: int) -> Report:
    size = {"own_memories": own, "skills": skills, "queries": queries}
    report = Report("skill_search", circumstances=machine() | size)
    with installation() as (_, developer):
        seed(developer.project_id, own, own)
        _seed_skills(developer.project_id, skills)
        without, with_skills, hits = _search(developer, queries)
    report.tables = [
        Table(
            f"search/memory above embedding, {own} memories, {skills} skills",
            SPREAD_COLUMNS,
            [
                spread(
                    "without skills, as the client sees it",
                    [search.waited - search.embedding for search in without],
                ),
                spread(
                    "with skills, as the client sees it",
                    [search.waited - search.embedding for search in with_skills],
                ),
                spread(
                    "without skills, in the server", [search.served - search.embedding for search in without]
                ),
                spread(
                    "with skills, in the server", [search.served - search.embedding for search in with_skills]
                ),
            ],
        )
    ]
    report.circumstances["skills_found"] = hits
    report.promises = [
        Promise(
            "ms that skills add, medians, as the client sees it",
            _added(without, with_skills),
            ADDED_MILLISECONDS,
        )
    ]
    return report


def _added(without: list[Timed], with_skills: list[Timed]) -> float:
    def median(searches: list[Timed]) -> float:
        return percentile([search.waited - search.embedding for search in searches], 50)

    return round(median(with_skills) - median(without), 2)


def _seed_skills(project_id: str, count: int) -> None:
    from memories.cubes.access import provide_cube
    from memories.values import OwnerKind, Subject
    from skills.catalogue.write import NewSkill, create_skill, embed_skill
    from skills.packages.files import NewFile
    from skills.packages.ownership import SkillOwner
    from skills.packages.skill_md import parse_skill_md, write_skill_md
    from skills.values import SkillOrigin
    from tenancy.isolation.scoping import tenant_scope
    from tenancy.models import Project

    project = Project.objects.get(pk=project_id)
    for number in range(count):
        thing = THINGS[number % len(THINGS)]
        value = {
            "name": f"Choosing {thing} {number}",
            "description": f"Helps to choose and buy {thing}. Use it when the user asks about {thing}.",
            "procedure": "1. Ask for the budget\n2. Compare three of them\n3. Recommend one",
        }
        text = write_skill_md(value)
        read = parse_skill_md(text)
        vector = embed_skill(read)
        with tenant_scope(project):
            owner = SkillOwner.of_cube(provide_cube(project, Subject(OwnerKind.END_USER, SEARCHER)))
            files = [NewFile.of_text("SKILL.md", text)]
            create_skill(NewSkill(owner, read, files, SkillOrigin.GENERATED, "grower", "seeded"), vector)


def _search(developer: Developer, queries: int) -> tuple[list[Timed], list[Timed], int]:
    waited: dict[bool, dict[str, float]] = {False: {}, True: {}}
    hits = 0
    with httpx.Client(
        base_url=developer.api_base, headers=developer.headers, timeout=60, trust_env=False
    ) as api:
        for number in tqdm(range(WARM_UP + queries), unit="query", desc="search/memory"):
            for has_skills in (number % 2 == 0, number % 2 == 1):
                # Different words, so that no cache of vectors helps the second one.
                asked = f"{question(2 * number + has_skills)} Which {THINGS[number % len(THINGS)]} is it?"
                body = {"user_id": SEARCHER, "query": asked, "include_skill": has_skills}
                began = time.perf_counter()
                answer = api.post("/search/memory", json=body)
                took = (time.perf_counter() - began) * 1000
                answer.raise_for_status()
                if number >= WARM_UP:
                    waited[has_skills][answer.headers["X-Request-Id"]] = took
                    hits += len(answer.json()["data"]["skill_detail_list"])
    return (
        with_traces(developer.project_id, waited[False]),
        with_traces(developer.project_id, waited[True]),
        hits,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--own", type=int, default=1_000)
    parser.add_argument("--skills", type=int, default=40)
    parser.add_argument("--queries", type=int, default=200)
    asked = parser.parse_args()
    run_measurement(asked.own, asked.skills, asked.queries).publish()


if __name__ == "__main__":
    main()
