"""A worker loads the local models once, before its processes fork: these parse and embed with what they inherit."""

from __future__ import annotations

from multiprocessing import get_context

from memories.engine import embedder, load_local_models

SENTENCE = "I moved from Leeds to York."


def used_models() -> tuple[list[str], list[float]]:
    from memories.engine.local.english.parsing.parser import parse_sentences

    [parsed] = parse_sentences([SENTENCE])
    return [token.dep_ for token in parsed], embedder().embed_query(SENTENCE)


def test_a_forked_process_uses_the_models_of_its_parent() -> None:
    load_local_models()

    with get_context("fork").Pool(2) as children:
        results = [children.apply_async(used_models) for _ in range(4)]
        found = [result.get(timeout=120) for result in results]

    assert found == [used_models()] * 4
