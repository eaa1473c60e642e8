"""Writes a group of clauses as one sentence in the third person, with its dates, or finds that it would not stand
alone."""

from __future__ import annotations

import re
from datetime import datetime

from memories.engine.local.chinese import acts
from memories.engine.local.chinese.groups import ClauseGroup
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.referents import Referents
from memories.engine.local.chinese.writing.rewriting import (
    name_pronouns,
    remove_connective,
    stands_alone,
    to_third_person,
)
from memories.text.time import chinese as dates
from memories.text.zh import third_person

_LONGEST_TEXT = 75
_LISTED = re.compile("^(?:以下|下面)?(?:是)?")
# 跟三个陌生人合租，我那间朝北: who does it with them goes without saying, whatever the next clause says.
_WITH_OTHERS = re.compile("(?:跟|和|与|陪|带着?)[^，我他她它]{2,12}(?:$|，)")
_ALLERGY = re.compile("^(?P<what>(?![没无不有])[^，我他她它对]{1,12})过敏$")


def write_group(group: ClauseGroup, referents: Referents, said_at: datetime) -> tuple[str, datetime | None]:
    """The finished sentence and the time it speaks of; "" where it would not stand alone."""
    words = group.words
    if group.is_order and not group.claim:
        words = acts.order_text(group.clauses)
    elif group.header:
        words = f"{write_list_head(_LISTED.sub('', group.header))}：{words}"
    elif group.claim is None:
        words = _with_subject(group, remove_connective(words))
    named = words if group.header else name_pronouns(words, referents, group.subject)
    if named is None:
        return "", None
    dated = dates.date_chinese(named, said_at)
    text = dated.text
    if group.claim:
        if group.claim.dating and dated.at is None:
            text += group.claim.dating.format(dates.format_day(said_at))
        text += group.claim.ending
    text = third_person.as_sentence(to_third_person(text))
    if not stands_alone(text) or len(text) > _LONGEST_TEXT:
        return "", None
    return text, dated.at


def _with_subject(group: ClauseGroup, words: str) -> str:
    if not group.is_dropped:
        return words
    beginning = words.partition("，")[0] if _WITH_OTHERS.match(words) else words
    if group.subject is None and re.search(rf"我(?!(?:的|家)?(?:{lexis.PEOPLE})|的)", beginning):
        return words
    label = group.subject.label if group.subject else "我"
    if match := _ALLERGY.match(words):
        words = f"对{match['what']}过敏"
    return label + words


def write_list_head(header: str) -> str:
    """The words above a list as something of the user's."""
    if re.match(rf"^(?:我|咱|{lexis.PEOPLE})", header):
        return header
    if re.match(lexis.TIME, header):
        return f"我{header}"
    return f"我的{header}" if re.match(rf"^(?:{lexis.OWN}|新年|药|清单|待办|计划)", header) else header
