"""What of an assistant's message is worth keeping: statements of substance, no courtesies, offers or echoes."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.clauses import statements
from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.small_talk import is_small_talk
from memories.text.en import third_person as english
from memories.text.quotes.quotations import is_quotation
from memories.text.words import language_detection, tokenize
from memories.text.words.word_lists import load_alternatives
from memories.text.zh import third_person

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_COURTESY_EN = re.compile(rf"^(?:{_WORDS['english_courtesies']})\b", re.IGNORECASE)
# What leans on the words before it, of which nobody will know: "That is a lovely reason".
_LEANING = re.compile(
    r"""
    ^(?:that|this|these|those|it|they|to|so|and|but|or|because|which|then)\b
    (?!\ (?:week|month|year|morning|evening)\b)
    | ^(?:那(?!么?多|[年天时])|这(?!周|个月|几天|两天)|它|所以|但是?|而且|不过|听起来|看来)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ECHO_EN = re.compile(
    r"""
    ^(?:so\ )?you\ (?:really\ |also\ |now\ )?(?:
        like | prefer | love | enjoy | dislike | hate | are | have | live | moved | work | said
        | mentioned | told | want | do\ not | chose | would\ like
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COURTESY_ZH = re.compile(f"^(?:{_WORDS['chinese_courtesies']})")
_ECHO_ZH = re.compile(r"^(?:所以)?[你您](?:比较|也|现在)?(?:喜欢|不喜欢|爱|偏好|住|搬|是|有|说|提到|想|选)")
# What a reply begins with and says nothing: what counts is what follows.
_INTERJECTIONS_EN = re.compile(
    r"^(?:(?:haha+|yes|yeah|yep|right|true|indeed|absolutely|exactly|oh|ah|aw+|wow|cool|well)\b[\s,.!…]*)+",
    re.IGNORECASE,
)
_INTERJECTIONS_ZH = re.compile(
    "^(?:(?:哈哈+|呵呵|嘿嘿|是[的啊呀]|对[的啊呀]|嗯+|哦+|噢|哎呀?|好[的呀啊嘞]|记(?:住|下|得)了|知道了"
    "|没事|确实|真的)[，,！!。~～…\\s]+)+"
)
# What there is to choose from, without a word on any of it: of use for the answer only.
_ITEM = r"[^\W\d]{1,30}(?:[ -][^\W\d]{1,30})?"
_ITEM_ZH = "[^，、。；：\\d ]{1,8}"
_BARE_OFFER = re.compile(
    rf"^(?:we (?:have|offer|have got)|there (?:is|are)|available:?) (?:{_ITEM}, ){{1,11}}(?:(?:and"
    rf"|or) )?{_ITEM}(?: (?:and|or) {_ITEM})?[.!]?$"
    rf"|^(?:我们(?:这里|店里?)?|店里|这里)(?:有|提供)(?:{_ITEM_ZH}、){{1,11}}{_ITEM_ZH}[。！]?$",
    re.IGNORECASE,
)
_FEWEST_WORDS = 5
_FEWEST_CHARACTERS = 8


def extract_substance(text: str) -> list[tuple[str, str]]:
    """The statements of substance in an assistant's message, each with its language; none of them if there is too
    little."""
    if is_quotation(text):
        return []
    kept = [
        (sentence, language)
        for sentence, language in _list_sentences(text)
        if _is_substance(sentence, language)
    ]
    while kept and _LEANING.match(kept[0][0]):
        kept = kept[1:]
    return kept if sum(_compute_size(sentence, language) for sentence, language in kept) >= 1 else []


def is_echo(sentence: str, before: str) -> bool:
    """Return whether the sentence only says again what the user has just said."""
    if language_detection.detect_language(sentence) == "zh":
        letters = set(re.findall(r"\w", sentence)) - _FORMS_OF_ADDRESS
        return bool(before) and len(sentence) <= _LONGEST_ECHO and letters <= set(before[-_READ:])
    words = set(tokenize.extract_keywords(sentence))
    known = set(tokenize.extract_keywords(before[-_READ:]))
    return bool(before) and words <= known


_READ = 2_000
# Of one thing either may be said: 7号 and 7日, 我 and 您.
_FORMS_OF_ADDRESS = frozenset("你您我的了日号")
_LONGEST_ECHO = 30


def _list_sentences(text: str) -> list[tuple[str, str]]:
    sentences = []
    for sentence in split_sentences(clean_message(text)):
        language = language_detection.detect_language(sentence)
        bare = sentence if language == "zh" else english.remove_filler(english.expand_contractions(sentence))
        sentences.append((third_person.remove_filler(bare) if language == "zh" else bare, language))
    return sentences


def _is_substance(sentence: str, language: str) -> bool:
    courtesy, echo = (_COURTESY_ZH, _ECHO_ZH) if language == "zh" else (_COURTESY_EN, _ECHO_EN)
    if courtesy.match(sentence) or echo.match(sentence) or is_small_talk(sentence):
        return False
    if courtesy.match(_remove_interjections(sentence, language)):
        return False
    if _BARE_OFFER.match(sentence):
        return False
    return not statements.is_question(sentence, language) and not sentence.endswith((":", "："))


def _remove_interjections(sentence: str, language: str) -> str:
    return (_INTERJECTIONS_ZH if language == "zh" else _INTERJECTIONS_EN).sub("", sentence)


def _compute_size(sentence: str, language: str) -> float:
    """1 for the shortest text that is worth a memory; a figure counts like a few words."""
    bare = _remove_interjections(sentence, language)
    has_figure = any(character.isdigit() for character in bare)
    if language == "zh":
        return (len(bare) + 4 * has_figure) / _FEWEST_CHARACTERS
    return (bare.count(" ") + 1 + 2 * has_figure) / _FEWEST_WORDS
