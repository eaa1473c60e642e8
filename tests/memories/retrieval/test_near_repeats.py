"""Long texts that differ in one name, number or date are all found; the very same text comes once."""

from __future__ import annotations

import pytest

from tests.support.api_client import Tenant
from tests.support.clients.mem0_client import Mem0

CONTRACT = (
    "Contract with {} about the delivery of packaging material: price per pallet, terms of payment, notice period of"
    " three months, liability for late delivery, place of jurisdiction Hamburg, quality checks at the ramp, storage of"
    " samples, confidentiality of recipes, insurance of transport, yearly review of prices and a bonus for volume."
)
INSPECTION = (
    "Inspection of the boiler in the north building on {}: burner, valves, pump, chimney, pressure gauge, pipes,"
    " insulation, expansion tank, thermostat, safety switch, water softener, control panel, cellar door, drain, lamp,"
    " ladder and fire extinguisher were checked by the caretaker and found in order, report filed in the archive."
)
VISIT = (
    "{}去了上海分公司拜访客户，会上讨论了合同续签、付款周期、交货时间、包装要求、质量标准、售后服务、技"
    "术培训、仓储费用、"
    "运输保险和明年的采购计划，双方同意下个月再开一次会。"
)


@pytest.mark.parametrize(
    ("text", "values", "question"),
    [
        (CONTRACT, ["Alba", "Borealis", "Cordata"], "Which suppliers do we have contracts with?"),
        (INSPECTION, ["3 March", "5 March", "9 March"], "When was the boiler inspected?"),
        (VISIT, ["王强", "李娜", "张伟"], "谁去了上海分公司拜访客户？"),
    ],
)
def test_long_texts_that_differ_in_one_value_are_all_found(
    tenant: Tenant, text: str, values: list[str], question: str
) -> None:
    with Mem0(tenant) as mem0:
        for value in values:
            mem0.store(text.format(value), "kim")

        memories = [row["memory"] for row in mem0.search(question, {"user_id": "kim"})]

    assert sorted(memories) == sorted(text.format(value) for value in values)


def test_the_same_text_of_two_people_comes_once(tenant: Tenant) -> None:
    contract = CONTRACT.format("Alba")
    with Mem0(tenant) as mem0:
        for user in ("kim", "lee"):
            mem0.store(contract, user)

        rows = mem0.search("Which suppliers do we have contracts with?", {"user_id": {"in": ["kim", "lee"]}})

    assert [row["memory"] for row in rows] == [contract]
