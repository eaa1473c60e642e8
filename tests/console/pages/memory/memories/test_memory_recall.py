"""A developer asks why a memory is or is not recalled, and reads the gate that decides."""

from __future__ import annotations

from datetime import UTC, datetime

from playwright.sync_api import Locator, Page, expect

from console.pages.memory.memories import recall
from memories.engine.calibration.background_similarity import Nearness
from memories.retrieval.queries.parser import parse_question
from memories.retrieval.ranking.adjustments import Situation
from memories.retrieval.ranking.candidate_table import Candidate, CandidateTable, Pool
from memories.retrieval.ranking.fitted_weights import GROUPS
from memories.retrieval.ranking.ranker import rank_candidates
from memories.values import MemoryKind
from tests.support.api_client import Tenant
from tests.support.tasks.many_memories import hold_facts


def ask(drawer: Locator, question: str) -> None:
    drawer.get_by_label("Does this question recall it?").fill(question)
    drawer.get_by_role("button", name="Ask").click()


def test_a_question_recalls_a_memory_or_is_told_which_gate_keeps_it_back(
    signed_in: Page, tenant: Tenant
) -> None:
    hold_facts(tenant, "kim", "The user works as a nurse.")
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    signed_in.get_by_role("row").filter(has_text="nurse").get_by_role("link").first.click()
    drawer = signed_in.locator("#drawer .drawer")
    drawer.get_by_role("link", name="Recall").click()
    gates, answer = drawer.get_by_role("listitem"), drawer.get_by_role("status")

    ask(drawer, "What is my job?")
    expect(answer).to_contain_text("Yes")
    expect(gates).to_have_count(10)
    expect(gates.filter(has_text="Relativity")).to_contain_text("Meaning")

    ask(drawer, "Who won the 1998 World Cup?")
    expect(answer).to_contain_text("No")
    expect(gates.filter(has_text="Relativity")).to_contain_text("0.45 is needed")
    expect(drawer.locator(".gate-unreached")).to_have_count(3)

    ask(drawer, 'What is my <b>"job"</b>?')
    expect(answer).to_contain_text("Yes")
    expect(drawer.get_by_label("Does this question recall it?")).to_have_value('What is my <b>"job"</b>?')


def test_every_part_of_a_score_has_a_name_on_the_page() -> None:
    asked = parse_question("What is the state of the order INV-2031?", datetime.now(UTC))
    table = CandidateTable([Candidate("one", MemoryKind.FACT, "order", 3)])
    pool = Pool(table, table.count_terms(asked.terms))

    parts = rank_candidates(asked, pool, Situation(datetime.now(UTC)), Nearness.unknown(1)).parts

    assert {"reference", "subject"} <= set(parts)
    assert {*parts, *GROUPS.values()} <= set(recall.PARTS)
