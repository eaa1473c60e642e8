"""Correct one value in a long text: only in the statement that is about it.

A passage of a document says many things, and the same number may stand in several of them. Its sentences, and the
rows of its tables, are cut into clauses; a clause is about the matter when it, what leads up to it, or what stands
above it names all that the matter is about, and nothing else stands in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from memories.text.clauses.replacer import make_replacer
from memories.text.quantities import Quantity, find_quantities, parse_only_quantity
from memories.text.words.tokenize import extract_keywords, search_terms

# What limits, prices and their kin are called: any of one row stands for the others.
_SAME = (
    "limit cap ceiling maximum max most quota allowance standard up exceed"
    " 上限 限额 额度 标准 最高 最多 最多能 至多 不超过 超过 限制 以内 封顶 限价",
    "purchase procurement procure buy buying reimbursement reimburse spending expense acquisition"
    " 采购 购买 报销 购置 购 报 买",
    "cost price fee amount budget charge rate 费用 价格 金额 预算 价 费",
)
# Words that say nothing about what a value belongs to.
_LIGHT = (
    "be is now currently each per every one at only also about apply applied applicable set remain actually"
    " should must may"
    " 每 人 为 是 的 现在 目前 应该 应 可 以 及 和 不 不是 而 一 个 项 种 类 元 块 人民币 category item type kind"
    " 类别 类型 项目 policy rule require requires 制度 规定 政策 要求 企业 公司 company our the user"
)
_CJK = re.compile("[\u3400-\u9fff\uf900-\ufaff]")
_SENTENCE = re.compile(r"(?<=[!?。！？])|(?<=\.)(?=\s|$)|\n")
_CLAUSE = re.compile(r"[,;，；、|\t]|\b(?:and|but|while|whereas|as well as)\b|而|但|以及")
_CELLS = re.compile(r"[^;；|:：\n]{1,60}[:：][^;；|\n]+(?:[;；|][^;；|:：\n]{1,60}[:：][^;；|\n]+)+")
_IS = re.compile(
    r"\b(?:is|are|was|were|equals|(?:to )?be|called|named)\b|(?:应该|应当)?是|为|[:：=]", re.IGNORECASE
)
_UP_TO = re.compile(r"\bup to\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_END_OF_VALUE = re.compile(r"[,;，；、(（。.!！?？\n]|\s(?:and|who|which|but|or)\s")
# A first line of a passage that is no sentence is its heading.
_LONGEST_HEADING = 300


@cache
def _load_word_classes() -> dict[str, str]:
    """Made when it is needed first, with the Chinese dictionary that it takes."""
    return {
        word: f"·{number}"
        for number, listed in enumerate(_SAME)
        for word in [*extract_keywords(listed), *listed.split()]
    }


@cache
def _load_light_words() -> frozenset[str]:
    return frozenset([*extract_keywords(_LIGHT), *_LIGHT.split()])


class PassageSentence(NamedTuple):
    """A sentence or line as it stands in a text, and where it starts."""

    start: int
    text: str


class TextEdit(NamedTuple):
    """The characters from `start` to `end` of a text become `new`."""

    start: int
    end: int
    new: str


class ValuePlace(NamedTuple):
    """Start and end of a value in a text, and its quantity, if it is one."""

    start: int
    end: int
    quantity: Quantity | None = None


@dataclass(frozen=True, slots=True)
class ValueStatement:
    """Statement about a thing: its words without the values, the right value, and the wrong one if it is known."""

    words: frozenset[str]
    right: str
    wrong: str = ""

    @property
    def things(self) -> frozenset[str]:
        """Return what it is about; where only limits and prices are named, these."""
        named = frozenset(
            word
            for word in self.words
            if word not in _load_word_classes() and word not in _load_light_words()
        )
        return named or self.words - _load_light_words()

    @property
    def frames(self) -> frozenset[str]:
        return frozenset(_load_word_classes()[word] for word in self.words if word in _load_word_classes())


@dataclass(frozen=True, slots=True)
class PassageReading:
    """Result of comparing a passage with a matter: its text put right ("" when nothing is to be), or that it says so
    already."""

    text: str = ""
    places: int = 0
    says_so: bool = False


@dataclass(frozen=True, slots=True)
class PassageClause:
    """A part of a text with its place, and what is said before it in its sentence and above it."""

    start: int
    end: int
    text: str
    before: str
    above: str


def build_statement(sentence: str, right: str, wrong: str) -> ValueStatement:
    """Build the statement of a sentence that gives something a value."""
    values = {*extract_keywords(right), *extract_keywords(wrong)}
    # A blank in their place, or the words around a value would be cut as one.
    for value in (right, wrong):
        if _DIGIT.search(value) and parse_only_quantity(value) is None:
            sentence = sentence.replace(value, " ")
    for quantity in reversed(find_quantities(sentence)):
        sentence = f"{sentence[: quantity.start]} {sentence[quantity.whole :]}"
    return ValueStatement(frozenset(extract_keywords(sentence)) - values, right, wrong)


def read_passage(text: str, statement: ValueStatement, title: str = "") -> PassageReading:
    """Return what the passage says of the matter, and what it is to say."""
    if not statement.things:
        return PassageReading()
    edits: list[TextEdit] = []
    says_so = False
    for clause in split_passage(text, title):
        if _is_about(clause, statement) and not _is_one_of_several(clause, text, statement):
            clause_edits = list(_iterate_edits(clause, statement))
            edits += clause_edits
            says_so = says_so or (not clause_edits and _has_value(clause, statement.right))
    return (
        PassageReading(apply_edits(text, edits), len(edits), says_so)
        if edits
        else PassageReading(says_so=says_so)
    )


def count_value_places(text: str, value: str) -> int:
    """Count the places in which the text has the value."""
    return sum(1 for _ in _iterate_places(text, value))


def correct_everywhere(text: str, statement: ValueStatement) -> str:
    """Replace the wrong value everywhere in a passage that is certainly the one that was meant."""
    whole = PassageClause(0, len(text), text, "", "")
    return apply_edits(text, list(iterate_wrong_places(whole, statement)))


def split_passage(text: str, title: str = "") -> Iterator[PassageClause]:
    """Every part of the text that can give one thing a value."""
    above = title
    for number, (start, sentence) in enumerate(locate_sentences(text)):
        if _is_heading(sentence, is_first=number == 0):
            above = f"{title}\n{sentence}"
            continue
        yield from _split_sentence(start, sentence, above)


def locate_sentences(text: str) -> Iterator[PassageSentence]:
    """Sentences and lines as they stand in the text."""
    borders = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    for start, end in pairwise(borders):
        if text[start:end].strip():
            yield PassageSentence(start, text[start:end])


def _is_heading(sentence: str, is_first: bool) -> bool:
    line = sentence.strip()
    if line.startswith("#") or line.endswith((":", "：")):
        return True
    is_bare = len(line) <= _LONGEST_HEADING and not re.search(r"[.!?。！？;；]$", line)
    return is_first and is_bare and not find_quantities(line) and not _IS.search(line)


def _split_sentence(start: int, sentence: str, above: str) -> Iterator[PassageClause]:
    if _CELLS.fullmatch(sentence.strip().rstrip(".。")):
        yield PassageClause(start, start + len(sentence), sentence, "", above)
        return
    borders = [
        0,
        *(m.start() for m in _CLAUSE.finditer(sentence) if not _is_inside(sentence, m)),
        len(sentence),
    ]
    for begin, end in pairwise(borders):
        if sentence[begin:end].strip():
            yield PassageClause(start + begin, start + end, sentence[begin:end], sentence[:begin], above)


def _is_inside(sentence: str, border: re.Match[str]) -> bool:
    """The comma of "1,000" parts nothing."""
    around = sentence[max(0, border.start() - 1) : border.end() + 1]
    return bool(re.fullmatch(r"\d,\d", around))


def _is_about(clause: PassageClause, statement: ValueStatement) -> bool:
    things = statement.things
    here = {word for word in things if _names(clause.text, word)}
    others = _find_other_words(clause.text, statement)
    if here == things:
        return not others or not statement.frames or _shares_frame(clause.text, statement)
    if others:
        return False  # something else stands where the thing would stand
    there = {word for word in things if _names(_find_lead(clause), word)}
    if here | there == things:
        return True
    above = {word for word in things if _names(clause.above, word)}
    return here | there | above == things and (bool(here | there) or _shares_frame(clause.text, statement))


def _is_one_of_several(clause: PassageClause, text: str, statement: ValueStatement) -> bool:
    """Return whether an English sentence tells of several kinds of the thing, of which the statement names none: "gold
    members get 20 percent off and silver members 10" and "members get 15 percent off"."""
    if statement.wrong or _CJK.search(text):
        return False
    sentence = clause.before + clause.text + _SENTENCE_END.split(text[clause.end :], maxsplit=1)[0]
    kinds: dict[str, set[str]] = {}
    for kind, thing in _KIND_OF_THING.findall(sentence):
        for word in extract_keywords(thing):
            kinds.setdefault(word, set()).update(extract_keywords(kind) or [""])
    named = [kinds[word] for word in statement.things if len(kinds.get(word, ())) > 1]
    return any("" not in words and words.isdisjoint(statement.words) for words in named)


_SENTENCE_END = re.compile(r"[.!?](?!\d)|\n")
_KIND_OF_THING = re.compile(r"\b(?=([A-Za-z-]+) ([a-z]+)\b)")


def _find_lead(clause: PassageClause) -> str:
    """Find what is said before the clause, back to the last value: that belongs to another thing."""
    last = [quantity.end for quantity in find_quantities(clause.before)]
    return clause.before[last[-1] :] if last else clause.before


def _names(text: str, word: str) -> bool:
    kin = _load_word_classes().get(word)
    if kin is not None:
        return any(_load_word_classes().get(term) == kin for term in extract_search_words(text))
    return word in text if _CJK.search(word) else word in extract_search_words(text)


@lru_cache(maxsize=4_096)
def extract_search_words(text: str) -> frozenset[str]:
    return frozenset(
        [*extract_keywords(text), *search_terms(text)] if _CJK.search(text) else search_terms(text)
    )


def _shares_frame(text: str, statement: ValueStatement) -> bool:
    # "Up to 150 euros" names a limit; alone, "up" tells nothing, and is no term.
    words = extract_search_words(text) | ({"up"} if _UP_TO.search(text) else frozenset())
    return not statement.frames.isdisjoint(_load_word_classes().get(word, "") for word in words)


def _find_other_words(text: str, statement: ValueStatement) -> set[str]:
    """Words of another thing: what is neither of the statement nor of values, limits and the like."""
    bare = text
    for quantity in reversed(find_quantities(text)):
        bare = bare[: quantity.start] + " " + bare[quantity.whole :]
    known = {*statement.words, *extract_keywords(statement.wrong), *extract_keywords(statement.right)}
    own = {
        word
        for word in extract_keywords(bare)
        if word not in known and word not in _load_light_words() and word not in _load_word_classes()
    }
    joined = "".join(sorted(known))
    return {word for word in own if not (_CJK.search(word) and all(letter in joined for letter in word))}


def _iterate_edits(clause: PassageClause, statement: ValueStatement) -> Iterator[TextEdit]:
    if statement.wrong:
        yield from iterate_wrong_places(clause, statement)
        return
    right = parse_only_quantity(statement.right)
    if right is None:
        yield from _iterate_other_names(clause, statement)
        return
    rivals = [rival for rival in find_quantities(clause.text) if rival.is_rival_of(right)]
    if len({rival.number for rival in rivals}) == 1 and not _has_value(clause, statement.right):
        for rival in rivals:
            yield TextEdit(clause.start + rival.start, clause.start + rival.end, rival.written_as(right))


def iterate_wrong_places(clause: PassageClause, statement: ValueStatement) -> Iterator[TextEdit]:
    wrong, right = parse_only_quantity(statement.wrong), parse_only_quantity(statement.right)
    for start, end, quantity in _iterate_places(clause.text, statement.wrong):
        if wrong is not None and right is not None and isinstance(quantity, Quantity):
            new = quantity.written_as(right)
        else:
            new = make_replacer(statement.wrong, statement.right)(clause.text[start:end])
            new = _remove_repeated_end(new, clause.text[end:])
        yield TextEdit(clause.start + start, clause.start + end, new)


def _remove_repeated_end(new: str, following: str) -> str:
    """As in "180 members" for the "150" of "150 members": what the text goes on with is not said twice."""
    number, _, unit = new.partition(" ")
    return number if unit and following.strip().lower().startswith(unit.lower()) else new


def _iterate_places(text: str, value: str) -> Iterator[ValuePlace]:
    quantity = parse_only_quantity(value)
    if quantity is not None:
        for candidate in find_quantities(text):
            if candidate.says_the_same(quantity):
                yield ValuePlace(candidate.start, candidate.end, candidate)
        return
    for match in _iterate_matches(text, value):
        yield ValuePlace(match.start(), match.end())


def _iterate_matches(text: str, value: str) -> Iterable[re.Match[str]]:
    if not value.strip():
        return ()
    words = r"\s+".join(re.escape(part) for part in value.split())
    edges = ("", "") if _CJK.search(value) else (r"(?<!\w)", r"(?!\w)")
    return re.finditer(edges[0] + words + edges[1], text, re.IGNORECASE)


def _has_value(clause: PassageClause, value: str) -> bool:
    return any(True for _ in _iterate_places(clause.text, value))


def _iterate_other_names(clause: PassageClause, statement: ValueStatement) -> Iterator[TextEdit]:
    """Edits for "the approver is Li Si": another name where the clause gives that very thing its value."""
    copula = _IS.search(clause.text)
    if copula is None or not _is_name(statement.right):
        return
    things = {word for word in statement.things if _names(clause.text[: copula.start()], word)}
    rest = clause.text[copula.end() :]
    end = _END_OF_VALUE.search(rest.strip())
    value = rest.strip()[: end.start() if end else None].strip()
    if things != statement.things or not _is_name(value) or value.casefold() == statement.right.casefold():
        return
    start = clause.start + clause.text.index(value, copula.end())
    yield TextEdit(start, start + len(value), statement.right)


def _is_name(value: str) -> bool:
    if re.search(r"\d", value) or not value:
        return False
    return len(value) <= 6 if _CJK.search(value) else value[0].isupper() and len(value.split()) <= 4


def apply_edits(text: str, edits: Sequence[TextEdit]) -> str:
    """The text with these changes, each made once."""
    for start, end, new in sorted(set(edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text
