"""Choices among what the assistant offered: what was chosen is a fact, what it hints at a careful preference."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from memories.engine.local.inferences.offers import (
    OfferedOption,
    find_meant_option,
    find_option_by_name,
    parse_options,
    points_at_place,
)
from memories.text.en.third_person import expand_contractions
from memories.text.slots.claim import build_slot
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_POLITE = r"(?:(?:ok(?:ay)?|then|so|great|well|thanks|thank you|sounds good|alright|hmm|yes|yeah|in that case)[,!.]? )*"
# The words around a choice that is named, and those around one that is only agreed to ("I'll get that one").
_CHOOSING_EN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            rf"^{_POLITE}(?:I|we) (?:(?:{_WORDS['auxiliaries']}) )?(?:{_WORDS['choices']}) "
            r"(?P<chosen>[^.!?;]{1,80})"
        ),
        rf"^{_POLITE}let us (?:go with|go for|take|book|do|get|try|have|order|pick) (?P<chosen>[^.!?;]{{1,80}})",
        (
            rf"^{_POLITE}(?:I|we) (?:would |will )?(?:like|want|prefer|try) (?P<chosen>(?:the |number "
            rf"|option )[^.!?;]{{1,60}}|[^.!?;]{{1,60}}(?= please))"
        ),
        rf"^{_POLITE}(?P<chosen>[^.!?;,]{{1,60}}?) it is$",
        (
            rf"^{_POLITE}(?:the )?(?P<chosen>[^.!?;,]{{1,60}}?) (?:sounds?|looks?|seems?|is|would be"
            rf"|will be) (?:really |so |very |just )?(?:{_WORDS['approvals']})\b"
        ),
        rf"^{_POLITE}(?:give me |make it )(?P<chosen>[^.!?;]{{1,60}})$",
        rf"^{_POLITE}(?P<chosen>[^.!?;]{{1,60}}?),? please$",
    )
)
_AGREED_EN = re.compile(
    r"^(?:that|that one|it|this|this one|the one)\b(?: one)?(?: please| then| thanks)*$", re.IGNORECASE
)
_BARE_EN = re.compile(rf"^{_POLITE}(?:the )?(?P<chosen>[^.!?;]{{1,50}}?)(?: one| option)?$", re.IGNORECASE)
_REFUSES = re.compile(r"\b(?:not|never|neither|none|no longer|nor)\b|^no\b|不(?!错)|别|没", re.IGNORECASE)
_VERB_ZH = "选择?|挑|订|定|预订|住|去|要|买|用|来|吃|喝|看|换"
_CHOOSING_ZH = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"^(?:好的?|嗯|那|行|可以|[，,！!])*(?:我们?|那我)?(?:就|还是|决定|要|想|会"
            rf"|来)*(?:{_VERB_ZH})(?:了|择|一?[个家款份])?(?P<chosen>[^，。！？]{{1,30}}?)(?:那[个家款]"
            rf"|这[个家款])?(?:吧|了|就好|好了|就行)?$"
        ),
        (
            "^(?:好的?|嗯|行)?，?(?:那|就|还是)+(?P<chosen>[^，。！？]{1,30}?)(?:那[个家款]"
            "|这[个家款])?(?:吧|好了|就好|就行)$"
        ),
        "^(?P<chosen>[^，。！？我]{1,20}?)(?:那[个家款])?(?:吧|不错|挺好的?|听起来不错|就好|可以)$",
    )
)
_ASKED_FOR = re.compile(
    r"""
    \b(?:
        which | what | do\ you\ have(?:\ any)? | any | some | recommend(?:\ an?|\ some|\ any)?
        | suggest(?:\ an?|\ some|\ any)?
    )\s+(?P<what>(?:(?!(?:are|is|do|can)\b)[a-z-]+\ ){0,2}?[a-z-]+?)(?=
        \s+(?:are|is|do|does|can|could|would|should|for|in|to|near|that|available)\b | \? | $
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ASKED_FOR_ZH = re.compile(
    r"""
    (?:哪些|什么|哪家|哪个|有没有|推荐(?:一下|几家|一些|个)?)(?P<what>[\u4e00-\u9fff]{2,8}?)
    (?:可以|可选|比较|推荐|适合|吗|呢|能|$|？)
    """,
    re.VERBOSE,
)
# Words for the two ends of the scale of prices, as an offer says them of what it lists.
_GRADES = (
    (
        re.compile(
            r"\b(?:budget|economy|cheap|low[- ]cost|affordable|inexpensive|good value)\b|经济|便宜|实惠|平价|性价比",
            re.IGNORECASE,
        ),
        "lower-priced",
        "价格较低的",
    ),
    (
        re.compile(
            r"""
            \b(?:
                luxury | luxurious | premium | upscale | high[- ]end | five[- ]star | 5-star
                | first\ class | business\ class
            )\b
            | 豪华 | 高档 | 高端 | 五星 | 头等舱 | 商务舱
            """,
            re.IGNORECASE | re.VERBOSE,
        ),
        "upscale",
        "高档的",
    ),
)
_LOWER, _HIGHER = ("lower-priced", "价格较低的"), ("higher-priced", "价格较高的")


@dataclass(frozen=True, slots=True)
class UserChoice:
    """`option` out of those `offered`; `what` they are ("hotel chains"), where the user's question says it."""

    option: OfferedOption
    offered: tuple[OfferedOption, ...]
    what: str

    @property
    def chosen(self) -> str:
        return self.option.name

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(option.name for option in self.offered)

    @property
    def others(self) -> list[OfferedOption]:
        return [option for option in self.offered if option.name.lower() != self.chosen.lower()]

    def is_refused_in(self, statement: str) -> bool:
        """As in "Not the red one", beside the choice of another."""
        named = any(option.lower() in statement.lower() for option in self.options)
        return named and bool(re.match(r"(?:not|no|never) |不要|不选|别", statement, re.IGNORECASE))


def find_choice(
    sentence: str, offer: str, question: str, language: str, message: str = ""
) -> UserChoice | None:
    """The choice that a sentence makes among the options that the assistant named just before.

    `message` is the whole that the sentence stands in: "I love Luna! We'll go with that."
    """
    bare = sentence.rstrip(" .!。！~")
    if not offer or bare.endswith(("?", "？")) or len(bare) > 200:
        return None
    options = parse_options(offer)
    option = (
        _find_chosen_zh(bare, options, offer)
        if language == "zh"
        else _find_chosen_en(expand_contractions(bare), options, offer, message)
    )
    if option is None:
        return None
    asked = (_ASKED_FOR_ZH if language == "zh" else _ASKED_FOR).search(question)
    what = _VAGUE_NOUN.sub("", asked["what"].strip()) if asked else ""
    return UserChoice(option, tuple(options), what)


_VAGUE_NOUN = re.compile(
    r"""
    \ ?\b(?:ideas?|options?|suggestions?|recommendations?|choices?|one|ones|else|do|to)$
    | ^(?:推荐|建议|选择|好的?|比较)$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _find_chosen_en(
    bare: str, options: Sequence[OfferedOption], offer: str, message: str
) -> OfferedOption | None:
    for pattern in _CHOOSING_EN:
        match = pattern.match(bare)
        if not match or _REFUSES.search(match["chosen"]):
            continue
        if _AGREED_EN.match(match["chosen"].strip()):
            return _find_named_before(message, options)
        is_first = pattern is _CHOOSING_EN[0]
        if option := find_meant_option(match["chosen"], options) or (
            _find_named_option(match["chosen"], offer) if is_first else None
        ):
            return option
    match = _BARE_EN.match(bare)
    is_bare = match and len(options) > 1 and len(bare.split()) <= 5 and not _REFUSES.search(bare)
    if not match or not is_bare:
        return None
    return _find_exact_option(match["chosen"], options) or (
        find_meant_option(bare, options) if points_at_place(bare) else None
    )


def _find_chosen_zh(bare: str, options: Sequence[OfferedOption], offer: str) -> OfferedOption | None:
    for clause in re.split("[，,]", bare)[:4]:
        for pattern in _CHOOSING_ZH:
            match = pattern.match(clause.strip())
            if not match or _REFUSES.search(clause):
                continue
            text = match["chosen"].strip()
            if option := find_meant_option(text, options) or (
                _find_named_option(text, offer) if pattern is _CHOOSING_ZH[0] else None
            ):
                return option
        if len(options) > 1 and (option := _find_exact_option(clause.strip(), options)):
            return option
        if len(clause) <= 6 and points_at_place(clause) and (option := find_meant_option(clause, options)):
            return option
    return None


def _find_named_before(message: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    """The one option that the message names, if it names just one."""
    lowered = message.lower()
    named = [option for option in options if option.name.lower() in lowered]
    if len(named) == 1:
        return named[0]
    return None if named else find_option_by_name(message, options)


def _find_exact_option(text: str, options: Sequence[OfferedOption]) -> OfferedOption | None:
    return next((option for option in options if option.name.lower() == text.strip().lower()), None)


def _find_named_option(text: str, offer: str) -> OfferedOption | None:
    bare = re.sub(r"^(?:the|an?) | (?:please|then|for now|instead)$", "", text.strip(), flags=re.IGNORECASE)
    is_named = len(bare) > 1 and bare[:1].isupper() or not bare.isascii()
    return OfferedOption(bare) if is_named and len(bare) > 1 and bare.lower() in offer.lower() else None


def build_hint_slot(choice: UserChoice) -> str:
    """What was chosen of a kind is replaced by what is chosen of that kind next time."""
    return build_slot("choice", choice.what) if choice.what else ""


def build_hint(choice: UserChoice, language: str) -> tuple[str, str] | None:
    """Return what the choice may say about the user's taste, and why: only "may", and only by what the offer says."""
    grade = _find_price_grade(choice)
    if not grade and not choice.what:
        return None
    return _write_chinese_hint(choice, grade) if language == "zh" else _write_english_hint(choice, grade)


def _find_price_grade(choice: UserChoice) -> Sequence[str]:
    """At which end of the scale of prices the choice stands, in English and Chinese; empty where the offer says
    nothing."""
    for pattern, *names in _GRADES:
        passed_over = [pattern.search(f"{option.name} {option.detail}") for option in choice.others]
        if pattern.search(f"{choice.chosen} {choice.option.detail}") and not all(passed_over):
            return names
    price, prices = (
        choice.option.price,
        [option.price for option in choice.others if option.price is not None],
    )
    if price is None or not prices:
        return ()
    return _LOWER if price < min(prices) else _HIGHER if price > max(prices) else ()


def _write_english_hint(choice: UserChoice, grade: Sequence[str]) -> tuple[str, str]:
    what = _singularize_noun(choice.what) or "option"
    others = [option.name for option in choice.others][:4]
    why = (
        f"The user chose {choice.option.shown}"
        + (f" over {', '.join(others)}" if others else "")
        + " when the assistant offered several; the reason was not stated."
        + (
            f" It was offered with these words: {choice.option.detail.strip()}."
            if choice.option.detail
            else ""
        )
    )
    if grade:
        return f"The user may prefer {grade[0]} {pluralize(what)}, such as {choice.chosen}.", why
    passed_over = " or ".join(filter(None, (", ".join(others[:-1]), *others[-1:])))
    rather = f" rather than {passed_over}" if passed_over else ""
    return f"When choosing {pluralize(what)}, the user may prefer {choice.option.shown}{rather}.", why


def _write_chinese_hint(choice: UserChoice, grade: Sequence[str]) -> tuple[str, str]:
    what = choice.what or "选项"
    others = [option.name for option in choice.others][:4]
    why = (
        f"助手给出多个选项时，用户选择了{choice.chosen}"
        + (f"，没有选{'、'.join(others)}" if others else "")
        + "；用户没有说明原因。"
        + (f"助手的介绍是：{choice.option.detail.strip()}。" if choice.option.detail else "")
    )
    if grade:
        return f"用户可能偏好{grade[1]}{what}，例如{choice.chosen}。", why
    return f"用户在{what}中可能更偏好{choice.chosen}。", why


def pluralize(noun: str) -> str:
    if noun.lower().endswith(("ss", "sh", "ch", "x")):
        return f"{noun}es"
    return noun if not noun or noun.lower().endswith("s") else f"{noun}s"


def _singularize_noun(noun: str) -> str:
    return re.sub(r"(?<=[a-z])(?<!s)s$", "", noun.lower())
