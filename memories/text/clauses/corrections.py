"""Applies corrections that people make while they talk: "Sorry, I said Gatwick, it's Stansted".

The readers say which words are corrected (`Draft.corrects`) and state what holds instead. Here, whatever the language,
the earlier drafts that hold those words are found; each is replaced by the new statement or, where it says more than
that, by its own words with the right value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.text.clauses.changed_values import (
    compute_shared_part,
    find_changed_values,
    find_missing_terms,
    holds_words,
    read_frame,
)
from memories.text.clauses.changing.differences import compute_new_values
from memories.text.clauses.changing.numbers_chinese import list_named_exchanges, names_other_number
from memories.text.clauses.changing.parts import exchange_part, says_more_values
from memories.text.clauses.changing.parts_chinese import (
    counts_something_else,
    exchange_part_chinese,
    widen_to_days,
)
from memories.text.clauses.changing.readings import find_new_readings
from memories.text.clauses.clausewise import find_exchanges
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.replacer import make_replacer
from memories.text.clauses.stated_values import StatedChange, ValueSort, find_values
from memories.text.clauses.wording import read_wordings
from memories.text.topics.tags import build_title
from memories.text.words.tokenize import extract_keywords
from memories.text.zh.script import simplify, to_simplified
from memories.values import Draft

# Among several drafts with the words, those that have this much in common with the correction are meant.
_MUCH_SHARED, _CLOSE_TO_BEST = 0.5, 0.35
_NAME = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
# What says so much more than a new value is not replaced by it, but says it from now on.
_MORE_TERMS = 2
# So far back within one talk somebody corrects itself.
_FURTHEST = 40


def apply_corrections(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts in their order, each correction with the texts that it replaces in `supersedes`.

    What is replaced stays among them, so that it is stored as something that was said; `remove_superseded` leaves
    it out.
    """
    applied: list[Draft] = []
    for original in drafts:
        draft = original if original.corrects else _remove_denial(original)
        applied += _apply_correction(draft, applied) if draft.corrects else [draft]
    return applied


def _remove_denial(draft: Draft) -> Draft:
    """ "The gym code is 7791, not 7719." states one value and corrects the other; "tea, not coffee" is a taste."""
    is_quoted = any(mark in draft.text for mark in '“"')
    is_plain = (
        not (draft.speaker or draft.preference_type or is_quoted) and len(read_wordings(draft.text)) == 1
    )
    contrast = find_contrast(draft.text.rstrip(".。")) if is_plain and not draft.is_end else None
    if contrast is None or not contrast.statement or not _is_value(contrast.wrong, contrast.right):
        return draft
    text = contrast.statement + ("。" if draft.language == "zh" else ".")
    return replace(draft, text=text, title=build_title(text, draft.language), corrects=(contrast.wrong,))


def _is_value(wrong: str, right: str) -> bool:
    """Two values of one sort, or two names."""
    if _NAME.fullmatch(wrong) and _NAME.fullmatch(right):
        return True
    return any(mine.is_rival_of(theirs) for mine in find_values(right) for theirs in find_values(wrong))


def remove_superseded(drafts: Sequence[Draft]) -> list[Draft]:
    """Only what holds at the end of the talk."""
    gone: set[str] = set()
    kept: list[Draft] = []
    for draft in reversed(drafts):
        if draft.text not in gone:
            kept.append(draft)
        gone.update(draft.supersedes)
    return kept[::-1]


def _apply_correction(correction: Draft, earlier: Sequence[Draft]) -> list[Draft]:
    meant = _find_meant_drafts(correction, earlier)
    if not meant:
        return [correction]
    rewritten = [fuller for old in meant if (fuller := _put_right(old, correction)) is not None]
    restated = {old for fuller in rewritten for old in fuller.supersedes}
    replaced = tuple(old.text for old in meant if old.text not in restated)
    if any(_says_all_of(fuller, correction) for fuller in rewritten) and not replaced:
        return rewritten
    return [
        *rewritten,
        replace(correction, supersedes=tuple(dict.fromkeys((*correction.supersedes, *replaced)))),
    ]


def _find_meant_drafts(correction: Draft, earlier: Sequence[Draft]) -> list[Draft]:
    """The drafts that still hold and have the words that are corrected."""
    gone = {text for draft in earlier for text in draft.supersedes}
    holding = [
        draft
        for draft in earlier[-_FURTHEST:]
        if draft.text not in gone
        # What its reader names as replaced is restated already.
        and draft.text not in correction.supersedes
        and draft.text != correction.text
        and draft.speaker == correction.speaker
        and any(holds_words(draft.text, words) for words in correction.corrects)
    ]
    if len(holding) <= 1:
        return holding
    shares = [compute_shared_part(correction.text, draft.text, correction.corrects) for draft in holding]
    least = max(_MUCH_SHARED, max(shares) - _CLOSE_TO_BEST)
    if best := [draft for draft, share in zip(holding, shares, strict=True) if share >= least]:
        return best
    # A name was wrong wherever it was said last; a number that nothing points to was the last one.
    is_name = any(_NAME.fullmatch(words.strip()) for words in correction.corrects)
    return [draft for draft in holding if is_name and draft.turns[-1] == holding[-1].turns[-1]] or holding[
        -1:
    ]


def _put_right(old: Draft, correction: Draft) -> Draft | None:
    """The old draft with the right value, where it says more than the correction; None where that says it all."""
    text = correct_text(old.text, correction)
    if not text:
        return None
    return replace(
        old,
        text=text,
        title=build_title(text, old.language),
        turns=tuple(sorted({*old.turns, *correction.turns})),
        event_time=correction.event_time or old.event_time,
        # A state that is named after the wrong value ("pet:rex") is another one now.
        slot="" if any(holds_words(old.slot, words) for words in correction.corrects) else old.slot,
        corrects=correction.corrects,
        supersedes=(*old.supersedes, old.text),
    )


def correct_text(old: str, correction: Draft) -> str:
    """The old text with the right value, where it says more than the correction; "" where that says it all, or where
    the right value is not certain. What is put in is written as the old text is: in traditional or simplified
    Chinese."""
    held, written = simplify(old)
    new_text, spelled = simplify(correction.text)
    corrects = tuple(map(to_simplified, correction.corrects))
    text = _write_right_value(held, replace(correction, text=new_text, corrects=corrects))
    return spelled.joined(written).restore(text)


def _write_right_value(old: str, correction: Draft) -> str:
    if computed := compute_new_values(correction.text, old):
        return make_replacer(*computed[0])(old)
    if changed := exchange_part(correction.text, old) or exchange_part_chinese(correction.text, old):
        return changed
    if not correction.corrects and says_more_values(correction.text, old):
        return ""
    readings = find_new_readings(correction.text, old)
    if old.startswith(("[", "“")) or not (
        readings
        or _says_more(old, correction, _MORE_TERMS if not correction.corrects else 1)
        or names_other_number(old, correction.text)
        or _has_values_besides(old, correction.text)
    ):
        return ""
    text = old
    is_same = bool(correction.corrects) or not find_missing_terms(
        read_frame(correction.text).terms, read_frame(old).terms
    )
    exchanges = readings or (_list_exchanges(old, correction) if is_same else ())
    # Of many numbers, one clause has one; of whom other statements are, the words may not say.
    if not is_same or (not exchanges and not correction.corrects and old.startswith(("用户", "The user"))):
        exchanges = exchanges or find_exchanges(correction.text, old)
    exchanges = [widen_to_days(wrong, right, old, correction.text) for wrong, right in exchanges]
    exchanges = [*exchanges, *list_named_exchanges(old, correction.text)]
    if any(counts_something_else(*exchange, old, correction.text) for exchange in exchanges):
        return ""
    for wrong, right in exchanges:
        text = _date_anew(make_replacer(wrong, right)(text), right, correction.text)
    return "" if text == old else text


def _has_values_besides(old: str, correction: str) -> bool:
    """Return whether an English text has values that a new one of another sort leaves as they are: "at 7 pm", "costs
    £8".

    With another day nobody knows whether the hour is the same. A quotation keeps the words of its day.
    """
    pairs = find_changed_values(read_frame(correction), read_frame(old))
    if len(pairs) != 1 or pairs[0][0].sort == ValueSort.DATE or not read_frame(correction).says_changed:
        return False
    mine, theirs = pairs[0]
    given = find_values(correction)
    return (
        old.startswith("The ")
        and '"' not in old
        and any(
            value.sort != mine.sort and value != theirs and not any(value.same_as(other) for other in given)
            for value in find_values(old)
        )
    )


def _date_anew(text: str, right: str, correction: str) -> str:
    """The text with the date that was worked out for a day before it was corrected: the new one, if that is known."""
    if not any(value.sort == ValueSort.DATE for value in find_values(right)):
        return text
    day = re.escape(right)
    known = re.search(rf"{day}(?P<date>{_WORKED_OUT})", correction, re.IGNORECASE)
    return re.sub(rf"({day}){_WORKED_OUT}", lambda match: match[1] + (known["date"] if known else ""), text)


_WORKED_OUT = r" ?[(（][^()（）]{4,40}[)）]"


def _says_more(old: str, correction: Draft, least: int) -> bool:
    dropped = frozenset(term for words in correction.corrects for term in extract_keywords(words))
    more = find_missing_terms(read_frame(old).terms - dropped, read_frame(correction.text).terms)
    return len(more) >= least


def _list_exchanges(old: str, correction: Draft) -> list[StatedChange]:
    """The wrong words as the old text has them, each with the right ones; without corrected words, the new values."""
    pairs = find_changed_values(read_frame(correction.text), read_frame(old))
    values = [
        StatedChange(old[theirs.start : theirs.end], correction.text[mine.start : mine.end])
        for mine, theirs in pairs
        if not correction.corrects
        or any(holds_words(old[theirs.start : theirs.end], words) for words in correction.corrects)
    ]
    if values:
        return values
    named = [words for words in correction.corrects if holds_words(old, words)]
    right = _find_new_words(correction, old) if named else ""
    return [StatedChange(words, right) for words in named[:1]] if right else []


def _find_new_words(correction: Draft, old: str) -> str:
    """The name that only the correction has; "" where there are several or none."""
    names = re.findall(r"(?<!^)\b[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*", correction.text)
    new = [name for name in dict.fromkeys(names) if not holds_words(old, name)]
    if len(new) == 1:
        return new[0]
    return correction.value if correction.value and not holds_words(old, correction.value) else ""


def _says_all_of(fuller: Draft, correction: Draft) -> bool:
    ours, theirs = read_frame(fuller.text), read_frame(correction.text)
    is_valued = all(any(value.same_as(other) for other in ours.values) for value in theirs.values)
    return is_valued and not find_missing_terms(theirs.terms, ours.terms)
