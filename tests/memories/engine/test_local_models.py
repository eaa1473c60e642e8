"""A worker loads the local models once, before its processes fork: these parse and embed with what they inherit."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import get_context

from memories.engine import get_embedder, load_local_models
from tests.support.waiting import LIMIT

SENTENCE = "I moved from Leeds to York."


def used_models() -> tuple[list[str], list[float]]:
    from memories.engine.local.english.parsing.parser import parse_sentences

    [parsed] = parse_sentences([SENTENCE])
    return [token.dep_ for token in parsed], get_embedder().embed_query(SENTENCE)


def test_a_forked_process_uses_the_models_of_its_parent() -> None:
    load_local_models()

    with get_context("fork").Pool(2) as children:
        results = [children.apply_async(used_models) for _ in range(4)]
        outputs = [result.get(timeout=120) for result in results]

    assert outputs == [used_models()] * 4


_FORKS_WHILE_ANOTHER_PARSES = """
import os
from threading import Event, Thread
from memories.engine.local.english.parsing.parser import parse_sentences

parse_sentences(["I live in Leeds."])
is_parsing, texts = Event(), ["I moved from Leeds to York in the autumn."] * 400


def all_texts():
    is_parsing.set()
    parse_sentences(texts)


Thread(target=all_texts, daemon=True).start()
is_parsing.wait()
for _ in range(3):
    child = os.fork()
    if not child:
        print(len(parse_sentences(["I live in York."])), flush=True)
        os._exit(0)
    os.waitpid(child, 0)
os._exit(0)
"""


def test_a_process_that_is_forked_while_another_thread_parses_can_parse() -> None:
    command = [sys.executable, "-c", _FORKS_WHILE_ANOTHER_PARSES]

    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)

    assert done.stdout.split() == ["1", "1", "1"], done.stderr[-2_000:]
