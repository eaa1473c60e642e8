"""Cuts a conversation into the tasks that were worked on in it, and reads each of them by rules."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from memories.engine.local.choices import find_choice
from memories.text.clauses.statements import is_question
from memories.text.en import third_person as english
from memories.text.tokenize import extract_keywords
from memories.text.transcripts import speakers_of
from memories.text.zh import third_person
from memories.values import Turn
from skills.induction import method
from skills.induction.domains import OTHER, domain_of
from skills.induction.listen import LONGEST_ITEM, Heard, findings_of, hear, ordered
from skills.induction.values import LONGEST_EPISODE, Finding, Part, Reading

BY = "local-1"
PAUSE = timedelta(hours=6)
MOST_EPISODES = 40
# What was said just before the request belongs to it.
LEADING = 2
_FIRST_COUNTS = 2
# Of so many messages so many characters tell whether there may be a task: this is asked inside a transaction.
MOST_GLANCED_AT, GLANCED_AT = 40, 500

_SWITCH = re.compile(
    r"^(?:by the way|btw|another (?:question|thing|topic)|(?:on|in) (?:a|another) (?:different|other|completely different) (?:note|topic|matter)|different (?:question|topic)|new (?:topic|question|task)|something else|unrelated)\b"
    r"|^(?:另外问一?个?|换个话题|还有一个问题|另一个问题|题外话|说个别的|顺便问)",
    re.IGNORECASE,
)


@dataclass(slots=True)
class _Stretch:
    """A task as it is being read: where it began, whose turns belong to it, and what domains these speak of."""

    first: int
    places: list[int] = field(default_factory=list)
    domains: Counter[str] = field(default_factory=Counter)
    words: set[str] = field(default_factory=set)

    def take(self, at: int, heard: Heard | None) -> None:
        self.places.append(at)
        if heard is not None:
            weight = _FIRST_COUNTS if not self.domains else 1
            self.domains.update({key: count * weight for key, count in heard.domains.items()})
            self.words.update(extract_keywords(heard.text[:500]))

    @property
    def domain(self) -> str:
        return self.domains.most_common(1)[0][0] if self.domains else OTHER


def read_talk(turns: Sequence[Turn], positions: Sequence[int]) -> list[Reading]:
    """The tasks of a conversation, in order. Talks between named people are nobody's task."""
    if is_between_people(turns):
        return []
    heard = [hear(turn.text) if turn.role == "user" else None for turn in turns]
    found = [_read(stretch, turns, positions, heard) for stretch in _stretches(turns, heard)]
    return [reading for reading in found if reading is not None][-MOST_EPISODES:]


def is_between_people(turns: Sequence[Turn]) -> bool:
    """Whether most of the lines are those of named people."""
    return 2 * sum(map(bool, speakers_of(turns))) >= len(turns) > 0


def may_hold_a_task(turns: Sequence[Turn]) -> bool:
    """Whether somebody asks for work at all: a cheap question, asked for every conversation."""
    if is_between_people(turns):
        return False
    said = (hear(turn.text[:GLANCED_AT]) for turn in turns[-MOST_GLANCED_AT:] if turn.role == "user")
    return any(one.domains or (one.is_asking and one.clauses) for one in said)


def _stretches(turns: Sequence[Turn], heard: Sequence[Heard | None]) -> list[_Stretch]:
    stretches: list[_Stretch] = []
    leading: list[int] = []
    for at, turn in enumerate(turns):
        said, current = heard[at], stretches[-1] if stretches else None
        if said is not None and _begins(said, current, turns, at):
            stretches.append(_Stretch(leading[0] if leading else at))
            for before in leading:
                stretches[-1].take(before, heard[before])
            leading = []
            stretches[-1].take(at, said)
        elif current is not None and turn.said_at - turns[current.places[-1]].said_at < PAUSE:
            current.take(at, said)
        else:
            leading = [*leading, at][-2 * LEADING :]
    return stretches


def _begins(said: Heard, current: _Stretch | None, turns: Sequence[Turn], at: int) -> bool:
    """Whether the user turns to another task with this message."""
    wants = said.is_asking or bool(said.domains)
    if current is None or len(current.places) >= LONGEST_EPISODE:
        return wants
    if turns[at].said_at - turns[current.places[-1]].said_at >= PAUSE:
        return wants
    if not wants or said.is_objecting:
        return False
    if _SWITCH.match(said.text):
        return True
    is_elsewhere = bool(said.domains) and current.domain != OTHER and current.domain not in said.domains
    shared = current.words & set(extract_keywords(said.text[:500]))
    return is_elsewhere and said.is_asking and len(shared) < 3


def _read(
    stretch: _Stretch, turns: Sequence[Turn], positions: Sequence[int], heard: Sequence[Heard | None]
) -> Reading | None:
    users = [(at, said) for at in stretch.places if (said := heard[at]) is not None]
    if not users:
        return None
    domain = stretch.domain
    asked_at = next((at for at, said in users if said.is_asking or said.domains), users[0][0])
    language = Counter(said.language for _, said in users if not said.is_empty).most_common(1)
    findings: list[Finding] = []
    for at in stretch.places:
        said = heard[at]
        if said is not None:
            of_user = findings_of(said, positions[at], domain)
            findings += _without_request(of_user, said) if at == asked_at else of_user
            findings += _choice(turns, heard, at, positions[at])
        elif turns[at].role == "assistant":
            findings += method.findings_of(turns[at], positions[at])
    findings += _tools(turns, stretch, positions)
    asked = heard[asked_at]
    return Reading(
        positions[stretch.places[0]],
        positions[stretch.places[-1]],
        domain,
        request_of(asked) if asked else "",
        language[0][0] if language else users[0][1].language,
        tuple(findings),
        BY,
        positions[asked_at],
    )


def request_of(asked: Heard) -> str:
    """What was asked for, without courtesies and about the user: "Plan a trip to Chengdu.", “用户要去成都玩。”"""
    named = [pair for pair in asked.clauses if _names_task(pair[0], asked)] or list(asked.clauses[:1])
    told = [pair for pair in named if not is_question(*pair)]
    if not named:
        return ""
    if not told and len(asked.clauses) > 1 and not is_question(*asked.clauses[0]):
        told = [asked.clauses[0]]
    if not told:
        clause, language = named[0]
        return f"用户问：“{clause}？”" if language == "zh" else f"The user asked: “{clause}?”"
    language = told[0][1]
    first, *others = [ordered(clause, language) for clause, spoken in told if spoken == language]
    # What is said of the user beside the request is a finding, if it is anything.
    orders = [one for one in others if not one.startswith(("The user", "用户"))][:1]
    if language == "zh":
        return third_person.as_sentence("，".join([first, *orders]))
    return english.as_sentence(" and ".join([first, *(one[:1].lower() + one[1:] for one in orders)]))


def _names_task(clause: str, asked: Heard) -> bool:
    return any(domain_of(key).asks.search(clause) for key in asked.domains)


# What this one text is to say, not how such texts are written.
_CONTENT = re.compile(
    "说明|介绍|告诉|告知|通知|邀请|感谢|表示|询问|Tell|Say|Inform|Invite|Thank|Ask (?:him|her|them|whether)"
)


def _without_request(findings: list[Finding], asked: Heard) -> list[Finding]:
    """The request itself is no step and no preference, and it puts nothing right; what else is wished with it is."""
    own = [one for one in findings if one.part in {Part.WISH, Part.LIKING} and not (one.slot or one.aspect)]
    named = {ordered(*pair) for pair in asked.clauses if _names_task(pair[0], asked)}
    is_task = [
        one for one in own if one.text in named or _names_task(one.text, asked) or _CONTENT.match(one.text)
    ]
    if not is_task and not asked.domains:
        is_task = [one for one in own if one.part == Part.WISH][:1]
    return [one for one in findings if one not in is_task and one.part != Part.CORRECTION]


def _choice(turns: Sequence[Turn], heard: Sequence[Heard | None], at: int, position: int) -> list[Finding]:
    said = heard[at]
    if at == 0 or said is None or turns[at - 1].role != "assistant":
        return []
    for clause, language in said.clauses:
        choice = find_choice(clause, turns[at - 1].text, "", language, said.text[:1_000])
        if choice and len(choice.options) > 1:
            others = [method.neutral(one) for one in choice.options if one != choice.chosen][:4]
            text = (
                f"可选{'、'.join(others)}时选择了{choice.chosen}"
                if language == "zh"
                else f"Took {choice.chosen} rather than {' or '.join(others)}"
            )
            return [Finding(Part.CHOICE, text[:LONGEST_ITEM], position, language=language)]
    return []


def _tools(turns: Sequence[Turn], stretch: _Stretch, positions: Sequence[int]) -> list[Finding]:
    called = [(at, turns[at]) for at in stretch.places if turns[at].calls]
    names = method.tools_of([turn for _, turn in called])
    if not names:
        return []
    return [Finding(Part.TOOLS, ", ".join(f"`{name[:60]}`" for name in names), positions[called[0][0]])]
