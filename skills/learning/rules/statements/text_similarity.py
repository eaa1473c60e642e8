"""Similarity of texts by embeddings, and whether a statement is of the kind that a description asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from memories.engine import get_embedder
from memories.engine.calibration.background_similarity import load_background
from memories.text.topics.topics import find_topics
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords

# Skills of nobody: what any statement has in common with any description is measured with them.
_OTHERS = {
    "en": (
        "Food and meals: what somebody eats and drinks.",
        "Health: illnesses, medication and doctors.",
        "Books and reading: what was read and how it was.",
        "Decisions of a team and the reasons for them.",
        "Complaints and wishes of customers about a product.",
        "Trips and travel plans.",
        "Meetings: what was discussed and agreed.",
        "Software: libraries, servers and configuration.",
        "Money: budgets, expenses and invoices.",
        "Family and friends.",
        "Sports and exercise.",
        "Movies, music and games.",
        "Home, furniture and repairs.",
        "Work, career and colleagues.",
        "School, courses and exams.",
        "Pets and plants.",
    ),
    "zh": (
        "饮食：吃什么、喝什么。",
        "健康：疾病、用药和医生。",
        "读书：看过的书和感想。",
        "团队的决定及其原因。",
        "客户对产品的投诉和建议。",
        "旅行和出行计划。",
        "会议：讨论和约定的事项。",
        "软件：库、服务器和配置。",
        "财务：预算、开销和发票。",
        "家人和朋友。",
        "运动和锻炼。",
        "电影、音乐和游戏。",
        "家居和维修。",
        "工作、职业和同事。",
        "学校、课程和考试。",
        "宠物和植物。",
    ),
}
# What a topic in common is worth beside the cosines, and topics that have nothing in common.
_OF_ONE_TOPIC, _OF_OTHERS = 0.025, 0.015

Vector = list[float]


class TextSimilarity:
    """Similarity of texts, for one run. Embeds each text once, and many at a time where they are known beforehand."""

    def __init__(self) -> None:
        self._engine = get_embedder()
        self._vectors: dict[str, Vector] = {}

    def expect(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text and text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self._engine.embed_passages(new), strict=True))

    def vector(self, text: str) -> Vector:
        self.expect([text])
        return self._vectors[text]

    def between(self, text: str, other: str) -> float:
        """Similarity of two statements: 1 for equal ones, 0 for what two statements have in common by chance."""
        if not text or not other:
            return 0.0
        if text == other:
            return 1.0
        ours = self.vector(text)
        chance = _compute_level(ours, detect_language(other))
        return (_compute_dot_product(ours, self.vector(other)) - chance) / max(1 - chance, 1e-6)

    def concern(self, statement: str, about: str) -> float:
        """Return how much more a statement has to do with a description than statements have with descriptions at all.

        A difference of cosines. Measured with the local model: 0.02 and more for what belongs together, 0 on average
        for the rest; small models err, so that the topics of the words are asked too.
        """
        ours, theirs = self.vector(statement), self.vector(about)
        spoken, stated = detect_language(statement), detect_language(about)
        others = _compute_background_mean(stated)
        excess = (
            _compute_dot_product(ours, theirs)
            - _compute_dot_product(ours, others)
            - _compute_level(theirs, spoken)
            + _compute_level(others, spoken)
        )
        return excess * load_background().compute_level(ours).scale + _compare_topics(statement, about)


def list_topics_by_coverage(text: str) -> list[int]:
    """List what the words are about, the best covered first. Of a Chinese compound the end is the thing: 绿茶 is a
    茶."""
    words = extract_keywords(text)
    compounds = [word for word in words if len(word) > 1 and "\u4e00" <= word[-1] <= "\u9fff"]
    ends = [word[-length:] for word in compounds for length in (1, 2) if len(word) > length]
    return find_topics([*words, *ends])


def _compare_topics(statement: str, about: str) -> float:
    ours, theirs = set(list_topics_by_coverage(statement)), set(list_topics_by_coverage(about))
    if ours & theirs:
        return _OF_ONE_TOPIC
    return -_OF_OTHERS if ours and theirs else 0.0


def _compute_level(vector: Vector, language: str) -> float:
    """A text's cosine with statements of nobody."""
    level = load_background().compute_level(vector)
    return level.chinese if language == "zh" else level.english


@cache
def _compute_background_mean(language: str) -> Vector:
    vectors = get_embedder().embed_passages(_OTHERS["zh" if language == "zh" else "en"])
    return [sum(column) / len(vectors) for column in zip(*vectors, strict=True)]


def _compute_dot_product(vector: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of two vectors of unit length, shape (d,)."""
    return float(sum(a * b for a, b in zip(vector, other, strict=True)))
