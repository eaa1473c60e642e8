"""What a user says of work that was just shown: that it is not right, and how it is to be instead, or every time."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.clauses.sentences import split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import is_question
from memories.text.en.verb_forms import find_base_of_past, is_verb
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.text.words.word_lists import load_alternatives
from skills.reading.messages.signs import MessageSign, find_signs
from skills.reading.verbs import LEAD_EN, asks_for_action

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_REJECTS = re.compile(
    rf"""
    ^(?:(?:ok|okay|well|hm+|oh|sorry|yes|good|great),?\ )?(?:but\ )?(?:
        no(?!\ (?:problem|worries|need|rush|idea|thanks)) | nope
        | not(?!\ (?:bad|yet|really|at\ all|sure|a\ problem)) | wrong | too\ (?!bad\b)[a-z]+
    )\b
    | \bwrong\ [a-z]+\b
    | \b(?:is|are|was|were|looks?|sounds?|'s|'re)\ (?:all\ |very\ |quite\ |a\ bit\ |simply\ )?(?:{_WORDS["faults"]})\b
    | \b(?:{_WORDS["denials"]})\ (?!worry|mind|bother|know|think|have\ to|need)[a-z]+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REJECTS_ZH = re.compile(
    r"""
    ^(?:不(?!错|过|客气|用谢|用了)|别(?!的|人)|没(?!问题|事|关系)|错|太(?!好|棒|谢|感谢))
    | 不[对能要该](?!吗) | 不应该 | 不是 | 太[^好棒，。]{1,4}了 | [写算弄做搞用]错 | 漏了 | 有误 | 不合适
    | 容易(?:出错|误会|得罪)
    """,
    re.VERBOSE,
)
_REJECTS_ALL = re.compile(
    r"""
    (?:(?:oh|sorry|hm+),?\ )?(?:
        no\b | nope\b | wrong\b | too\ [a-z]+
        | (?:that|this|it)(?:'s|\ is|\ was)\ (?:all\ |the\ |not\ )*(?:wrong|what\ i)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REJECTS_ALL_ZH = re.compile("不对|不是|错|太[^，。]{1,4}了|(?:这|那)(?:样|个)?(?:不[对行是]|错)")
# What somebody says of themselves is no judgement of the work: "I don't drive".
_OF_SPEAKER = re.compile(
    r"(?:I|my)\b(?!(?:'d| would)? (?:rather|prefer|want|need|like)\b)|我(?!们|想要|要的|更?希望)",
    re.IGNORECASE,
)
_SPEAKER = re.compile(
    r"\b(?:I|me|my|mine)\b(?!(?:'d| would)? (?:rather|prefer|want|need|like)\b)", re.IGNORECASE
)
# "Merge by email only", "water at nine": what is worked on is left out, because it is known.
_NO_OBJECT = re.compile(
    r"""
    (?:not\ [^,.]{1,40},\ )?(?:please\ |always\ |only\ |just\ |rather\ |instead\ )*(?P<verb>[a-z]{3,})[ ]
    (?:
        by | at | from | with | via | through | into | in | on | per | under | before | after | instead
        | only
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_VERB_OF_ORDER = re.compile(
    r"(?:(?:please|always|never|only|just|first|also|do not|don't|stop) )*(?P<verb>[a-z]+)", re.IGNORECASE
)
_WORD = re.compile(r"[a-z]+")


def is_of_speaker(sentence: str) -> bool:
    """Return whether it tells of who says it, and judges nothing."""
    return _OF_SPEAKER.match(sentence.strip()) is not None


def rejects_work(sentence: str, language: str) -> bool:
    """Return whether the sentence says that something of the work is not as it should be."""
    text = sentence.replace("’", "'").strip()
    if is_question(text, language) or is_of_speaker(text):
        return False
    return bool((_REJECTS_ZH if language == "zh" else _REJECTS).search(text))


def judges_work(sentence: str, is_acted_on: bool) -> bool:
    """Return whether it says that the work is not right, or anything about it upon which the agent did something
    more."""
    language = detect_language(sentence)
    if rejects_work(sentence, language):
        return True
    is_own = is_of_speaker(sentence) or _SPEAKER.search(sentence) is not None
    if not is_acted_on or is_own or is_question(sentence, language) or is_courtesy(sentence):
        return False
    is_settled = find_signs(sentence, language) & {
        MessageSign.AGREES,
        MessageSign.CLOSES,
        MessageSign.GIVES_UP,
    }
    is_next = _NEXT.search(sentence) is not None
    return not is_settled and not is_next and len({*extract_keywords(sentence)}) >= _LEAST_REMARK


_LEAST_REMARK = 3
# What comes next, and is no remark on what was: "look at the banner too", 这份发票也翻译一下.
_NEXT = re.compile(r"\b(?:too|as well|now|next)[.!]?$|也[^，。]{2,}(?:一下|一遍)", re.IGNORECASE)


def rejects_all(sentence: str, language: str) -> bool:
    """Return whether it rejects what was reported as it is, and not one thing in it."""
    text = sentence.replace("’", "'").strip()
    pattern = _REJECTS_ALL_ZH if language == "zh" else _REJECTS_ALL
    return rejects_work(sentence, language) and pattern.match(text) is not None


def leaves_out_object(request: str) -> bool:
    """Return whether nothing that an English message orders names what it is done to: what was worked on just now."""
    orders = [
        sentence
        for sentence in split_sentences(request)
        if asks_for_action(sentence, "en") or _orders_without_object(sentence)
    ]
    return bool(orders) and all(map(_orders_without_object, orders))


def _orders_without_object(sentence: str) -> bool:
    match = _NO_OBJECT.match(LEAD_EN.sub("", sentence.strip(), count=1))
    return match is not None and is_verb(match["verb"].lower())


def replaces_action(instruction: str, action: str) -> bool:
    """Return whether what was done is, by the instruction, to be done otherwise or not at all: "Merge duplicates by
    name" by "Merge by email address only". `action` is a step, or a note in the past ("I merged duplicates by name").
    """
    verb = find_ordered_verb(instruction)
    if not verb or _ADDS.search(instruction) or not _is_about_action(action, verb):
        return False
    if verb in _WITH_ANYTHING or _FORBIDS.match(instruction) or leaves_out_object(instruction):
        return True
    return bool(
        {*extract_keywords(instruction)} & {*extract_keywords(action)} - {verb, f"{verb}d", f"{verb}ed"}
    )


# "Check the expiry dates as well" comes on top of what was done.
_ADDS = re.compile(r"\b(?:as well|also|too|in addition|besides|do not forget)\b", re.IGNORECASE)
_FORBIDS = re.compile(r"(?:do not|don't|never|stop)\b", re.IGNORECASE)
# What is used or put is another thing each time.
_WITH_ANYTHING = frozenset("use take choose put set keep".split())


def find_ordered_verb(instruction: str) -> str:
    """The verb of an instruction: "merge" of "Always merge by email"; "" in other languages than English."""
    match = _VERB_OF_ORDER.match(instruction)
    return match["verb"].lower() if match else ""


def _is_about_action(action: str, verb: str) -> bool:
    words = _WORD.findall(action.lower())
    verbs = [word for before, word in zip(words, words[1:], strict=False) if before in {"i", "we"}]
    return words[:1] == [verb] or any(find_base_of_past(word) == verb for word in verbs)
