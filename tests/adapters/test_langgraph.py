"""LangGraph's published package with `EngramStore` as its store."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tests.support.adapters.environment import ROOT, run_program
from tests.support.api_client import Api, Tenant
from tests.support.servers.unreliable import Answer, UnreliableServer

BEGIN = """
import asyncio, json
from engram_client import Engram, EngramError
from engram_client.adapters.langgraph import EngramStore
store = EngramStore(Engram(retries=0, timeout=120))
def show(value):
    print(json.dumps(value))
"""
# What a JSON column, a careless encoding or a trimmed text would change.
VALUES: dict[str, Any] = {
    "empty": {},
    "nested": {"a": {"b": [1, 2.0, None, True, {"c": []}]}},
    "numbers": {"big": 10**30, "huge": 1e300, "small": 1e-300, "zero": -0.0, "float": 1.0},
    "texts": {"nul": "a\x00b", "half": "\ud800", "space": "  x \n", "empty": "", "中文": "我住在上海 🎉"},
    "keys": {"": 1, "user_id": "somebody", "and": [], "info": {}, "0": "zero", "a.b": 2},
    "long": {"text": "word " * 2_000},
}


def test_values_come_back_exactly_put_replaces_and_delete_removes(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
values = json.loads({json.dumps(VALUES)!r})
for key, value in values.items():
    store.put(("kim", "values"), key, value)
got = {{item.key: item.value for item in store.search(("kim",), limit=50)}}
same = {{key: [repr(store.get(("kim", "values"), key).value) == repr(value), got[key] == value]
        for key, value in values.items()}}
space = ("ann", "notes")
store.put(space, "a", {{"v": 1}})
first = store.get(space, "a")
store.put(space, "a", {{"v": 2}})
second = store.get(space, "a")
store.put(space, "a", {{"v": 2}})
listed = [item.value for item in store.search(space)]
store.delete(space, "a")
store.delete(space, "never there")
show([same, first.value, second.value, first.created_at == second.created_at, second.updated_at > first.updated_at,
      listed, store.get(space, "a"), [item.key for item in store.search(space)]])
"""
    same, *output = run_program(python, program, tenant)

    assert same == {key: [True, True] for key in VALUES}
    assert output == [{"v": 1}, {"v": 2}, True, True, [{"v": 2}], None, []]


def test_users_never_mix_and_namespaces_are_listed(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
store.put(("kim", "notes"), "city", {{"text": "Kim lives in Porto"}})
store.put(("lee", "notes"), "city", {{"text": "Lee lives in Oslo"}})
def refused(act):
    try:
        act()
    except ValueError as fault:
        return str(fault)
shared = EngramStore(store.client, agent_id="helper")
shared.put(("kim", "notes"), "city", {{"text": "of the agent"}})
second = EngramStore(store.client, user_at=1)
second.put(("memories", "kim"), "m", {{"text": "tea"}})
for space in [("ann", "a", "x"), ("ann", "a", "y"), ("ann", "b", "x"), ("annabel", "a", "x")]:
    store.put(space, "k", {{"v": "/".join(space)}})
names = lambda **options: ["/".join(one) for one in store.list_namespaces(**options)]
listed = [names(prefix=("ann",)), names(prefix=("ann",), suffix=("x",)), names(prefix=("ann", "*", "x")),
          names(prefix=("ann",), max_depth=2), names(prefix=("ann",), limit=1, offset=1),
          [item.value["v"] for item in store.search(("ann", "a"))]]
show([
    [item.value["text"] for item in store.search(("kim",), query="Who lives where?")],
    [item.value["text"] for item in store.search(("lee",))],
    refused(lambda: store.search(())), refused(store.list_namespaces),
    refused(lambda: second.search(("memories",))),
    [item.value["text"] for item in shared.search(())], shared.list_namespaces(),
    [item.value["text"] for item in second.search(("memories", "kim"))],
    listed,
])
"""
    kim, lee, all_, spaces, short, agent, agent_spaces, second, listed = run_program(python, program, tenant)

    assert kim == ["Kim lives in Porto"]
    assert lee == ["Lee lives in Oslo"]
    assert "names no user" in all_
    assert "names no user" in spaces
    assert "names no user" in short
    assert agent == ["of the agent"]
    assert agent_spaces == [["kim", "notes"]]
    assert second == ["tea"]
    assert listed == [
        ["ann/a/x", "ann/a/y", "ann/b/x"],
        ["ann/a/x", "ann/b/x"],
        ["ann/a/x", "ann/b/x"],
        ["ann/a", "ann/b"],
        ["ann/a/y"],
        ["ann/a/y", "ann/a/x"],
    ]


def test_searches_are_ranked_filtered_and_bounded(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
space = ("kim", "notes")
texts = ["Kim is allergic to peanuts", "The car is at the garage", "Rent is due on Monday"]
for n, text in enumerate(texts):
    store.put(space, str(n), {{"text": text, "n": n, "at": {{"x": [n]}}}})
store.put(space, "hidden", {{"text": "Kim is allergic to peanuts", "n": 9}}, index=False)
inner = {{"text": "nothing", "inner": {{"food": "Kim drinks oolong tea"}}, "n": 5}}
store.put(space, "path", inner, index=["inner.food"])
keys = lambda **options: [item.key for item in store.search(space, **options)]
best = store.search(space, query="What must Kim not eat because of an allergy?")
show([best[0].key, 0 < best[0].score <= 1, "hidden" in [item.key for item in best],
      keys(query="Which tea does Kim drink?")[0],
      keys(filter={{"n": {{"$gte": 1, "$lt": 5}}}}), keys(filter={{"text": "nothing"}}),
      keys(filter={{"at": {{"x": [1]}}}}), keys(filter={{"n": {{"$ne": 9}}}}, limit=2, offset=1),
      keys(limit=2), keys(limit=2, offset=4), keys(query="Kim", limit=1, filter={{"n": 5}})])
"""
    output = run_program(python, program, tenant)

    assert output == [
        "0",
        True,
        False,
        "path",
        ["2", "1"],
        ["path"],
        ["1"],
        ["2", "1"],
        ["path", "hidden"],
        ["0"],
        ["path"],
    ]


def test_batches_and_a_graph_use_it_without_waiting(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
from typing import TypedDict
from langgraph.graph import StateGraph
from langgraph.runtime import Runtime
from langgraph.store.base import BaseStore, GetOp, ListNamespacesOp, MatchCondition, PutOp, SearchOp
class State(TypedDict):
    said: str
    known: list[str]
async def remember(state, *, store: BaseStore):
    await store.aput(("kim", "facts"), state["said"][:8], {{"text": state["said"]}})
    return {{"known": [item.value["text"] for item in await store.asearch(("kim", "facts"), query="tea")]}}
async def main():
    space = ("kim", "batch")
    before = await store.abatch([PutOp(space, "a", {{"v": 1}}), GetOp(space, "a"), PutOp(space, "a", {{"v": 2}})])
    after = await store.abatch([GetOp(space, "a"), SearchOp(space), PutOp(space, "a", None),
                                ListNamespacesOp((MatchCondition("prefix", ("kim",)),))])
    gone = await store.aget(space, "a")
    graph = StateGraph(State).add_node("remember", remember).set_entry_point("remember").compile(store=store)
    state = await graph.ainvoke({{"said": "Kim likes oolong tea"}})
    return [before, after[0].value, len(after[1]), after[3], gone, state["known"]]
show(asyncio.run(main()))
"""
    output = run_program(python, program, tenant)

    assert output == [[None] * 3, {"v": 2}, 1, [["kim", "batch"]], None, ["Kim likes oolong tea"]]


def test_what_users_say_later_does_not_replace_items(python: str, tenant: Tenant, api: Api) -> None:
    program = f"""{BEGIN}
store.put(("kim", "p"), "home", {{"text": "I live in Shanghai"}})
for said in ("I live in Shanghai", "I moved from Shanghai to Berlin. I live in Berlin now."):
    store.client.wait(store.client.add(said, user_id="kim"))
show([store.get(("kim", "p"), "home").value, len(store.search(("kim",)))])
"""
    assert run_program(python, program, tenant) == [{"text": "I live in Shanghai"}, 1]
    assert any("Shanghai" in text for text in api.facts("kim", "Where did I live before?"))


# What is called, and what its error says.
REFUSALS = [
    ('store.put(("kim",), "k", {"text": "x" * 20_000})', "metadata: at most 16000 characters"),
    ('store.put(("k" * 101,), "k", {"v": 1})', "user_id"),
    ('store.put(("kim",), "k" * 1_001, {"v": 1})', "at most 1000 characters"),
    ('store.put(("kim",), "k", {"v": float("nan")})', "not JSON compliant"),
    ('store.put(("kim",), "k", {"v": object()})', "not JSON serializable"),
    ('store.put(("kim",), "k", {"v": 1}, ttl=5)', "TTL"),
    ('store.batch([GetOp(("a.b",), "k")])', "periods"),
    ('store.search(("kim",), filter={"v": {"$in": [1]}})', "Unsupported operator"),
]


def test_refusals_say_what_is_wrong(python: str, tenant: Tenant) -> None:
    program = f"""{BEGIN}
from langgraph.store.base import GetOp
store.put(("kim",), "k", {{"v": 1}})
said = []
for act in json.loads({json.dumps([act for act, _ in REFUSALS])!r}):
    try:
        exec(act)
    except Exception as fault:
        said.append(str(fault))
    else:
        said.append("")
show(said)
"""
    messages = run_program(python, program, tenant)

    assert [(act, part in text) for (act, part), text in zip(REFUSALS, messages, strict=True)] == [
        (act, True) for act, _ in REFUSALS
    ], messages


def test_errors_name_code_and_sentence_and_waiting_ends(python: str, tenant: Tenant) -> None:
    with UnreliableServer() as server:
        server.answers = [Answer(0)]
        program = f"""{BEGIN}
said = []
for client in (Engram("mpg-wrong", retries=0), Engram(base_url="{server.url}", retries=0)):
    try:
        EngramStore(client).get(("kim",), "k")
    except EngramError as fault:
        said.append([type(fault).__name__, str(fault)])
show(said)
"""
        (kind, text), (lost, _) = run_program(python, program, tenant)

    assert (kind, lost) == ("AuthenticationError", "ConnectionFailed")
    assert re.match(r"\[401\d\d\] \w+", text)


def test_the_documented_example_runs(python: str, tenant: Tenant) -> None:
    page = Path(ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    section = page.split("## LangGraph\n")[1]
    example = re.search(r"```python\n(.*?)```", section, re.S)
    assert example is not None

    program = f"{example[1]}\nimport json\nprint(json.dumps(state['answer']))"

    assert "peanuts" in run_program(python, program, tenant)
