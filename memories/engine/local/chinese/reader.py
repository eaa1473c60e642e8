"""The reader of Chinese: from a message to propositions that stand alone, what is not certain as a quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memories.engine.local import interviews, questionnaires
from memories.engine.local.chinese import acts, answers, corrections, lexis, moods
from memories.engine.local.chinese.heads import Head, Kind, read_head
from memories.engine.local.chinese.referents import Referent, Referents, find_name
from memories.engine.local.chinese.rewriting import (
    name_pronouns,
    stands_alone,
    to_third_person,
    without_connective,
)
from memories.engine.local.chinese.segments import Sentence, split_message
from memories.engine.local.chinese.tagging import has_object, has_predicate
from memories.engine.local.claims import Claim
from memories.engine.local.notes import find_note
from memories.engine.local.preferences_chinese import find_chinese_preferences
from memories.engine.local.propositions import Mood, Proposition
from memories.engine.local.reminders import find_reminder
from memories.engine.local.slots import find_chinese_states
from memories.engine.local.software import find_versions
from memories.engine.local.wishes import find_wish
from memories.text.quoting import quote_words
from memories.text.time import chinese as dates
from memories.text.zh import third_person
from memories.text.zh.script import Script, simplify
from memories.values import Turn

# What one memory holds at most, before dates are written out, so that it is taken in at once.
_LONGEST_GROUP = 44
_LONGEST_TEXT = 75
# A message that says more than this is searched as it stands.
_MOST_PROPOSITIONS = 40
_MOST_CHARACTERS = 8_000
_LONGEST_RULED = 120
# 它很可爱: nobody can tell what it was about.
_SHORTEST_QUOTE = 6


@dataclass(slots=True)
class _Group:
    """Clauses in the first person that become one proposition. `subject` None is the user."""

    clauses: list[str]
    subject: Referent | None = None
    is_dropped: bool = False
    claim: Claim | None = None
    is_order: bool = False
    is_quote: bool = False
    mood: Mood | None = None
    header: str = ""
    corrects: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        return "，".join(self.clauses)

    @property
    def claim_of_self(self) -> bool:
        """Whether it is the user's own name, age or the like, which others of that kind may follow."""
        return self.claim is not None and self.claim.slot in (
            "name",
            "age",
            "job",
            "hometown",
            "school",
            "major",
            "residence",
        )


@dataclass(frozen=True, slots=True)
class _Told:
    """What was told before, so that it can be taken back."""

    group: _Group
    text: str


@dataclass(slots=True)
class _Message:
    """The message that is being read."""

    said_at: datetime
    script: Script
    found: list[Proposition] = field(default_factory=list)
    is_correcting: bool = False


class ChineseReader:
    """Reads the user's turns of one conversation, one after another; it remembers whom they named."""

    def __init__(self) -> None:
        self._referents = Referents()
        self._told: list[_Told] = []

    def read(self, turn: Turn, at: int, turns: Sequence[Turn]) -> list[Proposition]:
        """What the turn says; `turns` is the whole conversation, of which those before `at` have been read."""
        text, script = simplify(turn.text[:_MOST_CHARACTERS])
        message = _Message(turn.said_at, script)
        asked = turns[at - 1].text if at and turns[at - 1].role == "assistant" else ""
        self._begin(asked)
        if asked:
            question, _ = simplify(asked[-1_000:])
            answered, text = answers.find_answers(question, text)
            for answer in answered:
                self._answer(message, answer)
        told, text = interviews.find_interview(text, "zh")
        filled, text = questionnaires.find_answers(text, "zh")
        for claim in (*told, *filled):
            self._close(message, _Group([claim.said], claim=claim))
        for sentence in split_message(text):
            if len(message.found) >= _MOST_PROPOSITIONS:
                break
            self._read_sentence(message, sentence)
        return message.found[:_MOST_PROPOSITIONS]

    def _begin(self, asked: str) -> None:
        """A new message is about the user again, unless the assistant has just spoken of somebody else."""
        topic = self._referents.topic
        if topic and not re.search(f"[他她它]|{re.escape(topic.short)}", asked):
            self._referents.topic = None

    # -- sentences ---------------------------------------------------------------------------------------------------

    def _read_sentence(self, message: _Message, sentence: Sentence) -> None:
        if moods.is_irony(sentence.text) and not sentence.header:
            self._quote(message, sentence.text, Mood.IRONY)
            return
        clauses = _kept_clauses(sentence.clauses)
        if not clauses:
            if corrections.is_cue_only(list(sentence.clauses)):
                message.is_correcting = True
            return
        sentence = replace(sentence, clauses=tuple(clauses))
        is_expected, message.is_correcting = message.is_correcting, False
        if corrections.is_cue_only(clauses):
            message.is_correcting = True
            return
        if sentence.header:
            self._item(message, sentence)
        elif self._correct(message, clauses, is_expected):
            return
        elif not self._note(message, sentence.text):
            self._state(message, sentence)

    def _answer(self, message: _Message, answer: answers.Answered) -> None:
        if not answer.question:
            self._state(message, Sentence(tuple(answer.words.split("，"))))
            return
        day = dates.day_words(message.said_at)
        question = to_third_person(re.sub("[你您]", "我", answer.question))
        text = f"用户在{day}被问到“{question[:40]}”时说：“{answer.words[:60]}”"
        message.found.append(Proposition(message.script.restore(text), "zh", is_quote=True))

    def _item(self, message: _Message, sentence: Sentence) -> None:
        """One item of a list, with the words that the list stands under."""
        header = acts.strip_openers(sentence.header)
        if acts.is_request(header) or acts.is_question(header):
            return
        words = sentence.text
        if re.match(rf"^(?:我|咱|{lexis.KIN})", words) and has_predicate(words):
            self._state(message, replace(sentence, header=""))
            return
        if (
            acts.is_standing_order(words)
            or re.search("要求|规则|习惯|请你|希望你|注意", header)
            and acts.continues_order(words)
            and re.search("回答|回复|推荐|你|助手", header)
        ):
            self._close(message, _Group([words], is_order=True))
            return
        self._close(message, _Group([words], header=header, is_dropped=False))

    def _note(self, message: _Message, text: str) -> bool:
        """What the user asks to be reminded of."""
        if len(text) > _LONGEST_RULED:
            return False
        if claims := find_reminder(text, "zh"):
            for claim in claims:
                self._close(message, _Group([claim.said], claim=claim, mood=Mood.PLAN))
            return True
        note = find_note(text, "zh")
        if note is None:
            return False
        for claim in note.claims:
            self._close(message, _Group([claim.said], claim=claim, mood=Mood.PLAN))
        if note.statement:
            self._state(message, Sentence(tuple(acts.strip_openers(c) for c in note.statement.split("，"))))
        return True

    # -- statements --------------------------------------------------------------------------------------------------

    def _state(self, message: _Message, sentence: Sentence) -> None:
        if moods.is_unreal(sentence.text) or self._listed(message, sentence.text):
            return
        if any(moods.is_condition(clause) for clause in sentence.clauses) and not sentence.is_question:
            self._conditional(message, sentence)
            return
        group: _Group | None = None
        occasion: list[str] = []
        is_asking = False
        last = len(sentence.clauses) - 1
        for at, clause in enumerate(sentence.clauses):
            if name := acts.name_wished(clause):
                self._finish(message, group)
                group = None
                self._close(
                    message, _Group([f"我希望被称呼为{name}"], is_order=True, claim=_name_claim(name))
                )
                continue
            if group and group.is_order and acts.continues_order(clause) and not acts.is_question(clause):
                group.clauses.append(clause)
                continue
            if acts.is_standing_order(clause):
                self._finish(message, group)
                group = _Group([*occasion, clause], is_order=True)
                occasion = []
                continue
            if acts.opens_occasion(clause) and at < last and acts.is_standing_order(sentence.clauses[at + 1]):
                occasion = [clause]
                continue
            is_asked = (sentence.is_question and at == last) or acts.is_question(clause)
            if is_asked or acts.is_request(clause):
                is_asking = True
                for words in _facts_inside(clause):
                    self._finish(message, group)
                    group = self._open(words, read_head(words, self._referents), None)
                continue
            head = read_head(clause, self._referents)
            if is_asking and not (head.is_explicit or _claims_of(clause)):
                continue
            is_asking = False
            group = self._take(message, group, clause, head)
        self._finish(message, group)

    def _listed(self, message: _Message, text: str) -> bool:
        """A list on one line: what is planned comes one by one, what is only counted up stays together."""
        found = _INLINE.match(text)
        if not found or acts.is_request(found["header"]) or len(text) > 200:
            return False
        items = [
            item for item in re.split("[、；，]|和(?=学|考|读|跑|去|把|做|攒|减)", found["items"]) if item
        ]
        if (
            not _AIMS.search(found["header"])
            or len(items) < 2
            or not all(has_predicate(item) for item in items)
        ):
            return False
        for item in items:
            self._close(message, _Group([item], header=acts.strip_openers(found["header"]), mood=Mood.PLAN))
        return True

    def _conditional(self, message: _Message, sentence: Sentence) -> None:
        """A condition stays with what follows from it."""
        clauses = [c for c in sentence.clauses if not acts.is_request(c) and not acts.is_question(c)]
        if len(clauses) < len(sentence.clauses) or not clauses:
            return
        if acts.is_standing_order(clauses[-1]):
            self._close(message, _Group(clauses, is_order=True))
            return
        head = read_head(re.sub("^(?:如果|要是|假如|万一|只要|一旦)", "", clauses[0]), self._referents)
        words = "，".join(clauses)
        if len(words) > _LONGEST_GROUP + 16:
            self._quote(message, words, Mood.CONDITION)
            return
        subject = head.referent if head.kind in (Kind.PERSON, Kind.PRONOUN) else None
        self._close(message, _Group(clauses, subject, mood=Mood.CONDITION))

    def _take(self, message: _Message, group: _Group | None, clause: str, head: Head) -> _Group | None:
        """Joins the clause to the group or begins a new one."""
        if (
            group
            and group.claim_of_self
            and re.fullmatch(r"(?:今年)?(?:[1-9]\d|[二三四五六七八九]十[一二三四五六七八九]?)", clause)
        ):
            clause += "岁"
        claims = _claims_of(clause) if head.kind in (Kind.USER, Kind.DROPPED, Kind.THING) else []
        if head.kind is not Kind.USER and group and _describes(clause) and not group.claim_of_self:
            claims = []
        is_users = head.kind is Kind.USER or (head.kind is not Kind.PRONOUN and self._topic_of(group) is None)
        if claims and is_users and not moods.is_hearsay(clause):
            self._finish(message, group)
            for claim in claims[:-1]:
                self._finish(message, self._claimed(clause, head, claim))
            return self._claimed(clause, head, claims[-1])
        if group and _belongs(group, clause, head):
            group.clauses.append(clause)
            self._notice(clause, None)
            return group
        self._finish(message, group)
        return self._open(clause, head, group)

    def _topic_of(self, group: _Group | None) -> Referent | None:
        return group.subject if group else self._referents.topic

    def _claimed(self, clause: str, head: Head, claim: Claim) -> _Group:
        self._notice(clause, None)
        self._referents.topic = None
        del head
        return _Group([claim.said], claim=claim)

    def _open(self, clause: str, head: Head, before: _Group | None) -> _Group:
        """A group whose subject is the clause's own, or else the one that the talk was about."""
        topic = before.subject if before else self._referents.topic
        subject: Referent | None = None
        if head.kind in (Kind.PERSON, Kind.PRONOUN):
            subject = head.referent
        elif (
            head.kind is Kind.DROPPED
            and topic
            and not _points_away(clause, topic)
            or head.kind is Kind.THING
            and topic
            and "我" not in clause
        ):
            subject = topic
        group = _Group(
            [clause],
            subject,
            is_dropped=head.kind is Kind.DROPPED or (head.kind is Kind.THING and subject is not None),
        )
        if head.kind is Kind.PRONOUN:
            if head.referent is None:
                group.is_quote = True
            else:
                group.clauses[0] = clause[: head.start] + head.referent.label + clause[head.end :]
        elif (
            head.kind is Kind.PERSON
            and head.referent
            and not clause[head.start : head.end].startswith(("我", "咱", "俺"))
        ):
            group.clauses[0] = clause[: head.start] + head.referent.label + clause[head.end :]
        elif (
            head.kind is Kind.THING
            and topic is None
            and re.match(rf"(?:{lexis.OWN})(?!出|作|里人)", clause[head.start :])
        ):
            group.clauses[0] = clause[: head.start] + "我的" + clause[head.start :]
        self._notice(clause, subject)
        self._referents.topic = subject
        return group

    def _notice(self, clause: str, subject: Referent | None) -> None:
        self._referents.notice(clause, subject)
        if name := find_name(clause):
            if re.match("^(?:名字|小名|大名|名)?叫", clause):
                self._referents.name_last(name)
            elif not re.search("我(?:的名字)?叫", clause):
                self._referents.notice("", Referent(name, name))

    def _finish(self, message: _Message, group: _Group | None) -> None:
        if group:
            self._close(message, group)

    # -- corrections -------------------------------------------------------------------------------------------------

    def _correct(self, message: _Message, clauses: list[str], is_expected: bool) -> bool:
        """Applies what the sentence takes back; false where it takes nothing back or it is not known what."""
        correction = corrections.find_correction(clauses, is_expected)
        if correction is None:
            return False
        for told in reversed(self._told[-12:]):
            applied = corrections.apply_correction(correction, told.group.words)
            if applied:
                words, old = applied
                self._replace(message, told, words, old)
                return True
        if correction.full:
            self._state(message, Sentence(tuple(correction.full.split("，"))))
            return True
        return False

    def _replace(self, message: _Message, told: _Told, words: str, old: tuple[str, ...]) -> None:
        message.found = [found for found in message.found if found.text != told.text]
        self._told.remove(told)
        claim = told.group.claim
        clauses = words.split("，")
        if claim:
            claims = _claims_of(words)
            claim = claims[0] if len(claims) == 1 else replace(claim, said=words)
            clauses = [claim.said]
        self._close(message, replace(told.group, clauses=clauses, claim=claim, corrects=old))

    # -- writing -----------------------------------------------------------------------------------------------------

    def _quote(self, message: _Message, words: str, mood: Mood = Mood.FACT) -> None:
        if not re.search("[一-龥A-Za-z0-9]{2}", words):
            return
        for text in quote_words(message.script.restore(words), message.said_at, "zh")[:3]:
            message.found.append(Proposition(text, "zh", mood=mood, is_quote=True))

    def _close(self, message: _Message, group: _Group) -> None:
        words = group.words
        if group.is_quote or _says_nothing(words, group):
            if group.is_quote and len(words) > _SHORTEST_QUOTE:
                self._quote(message, words)
            return
        text, event_time = self._written(group, message.said_at)
        if not text:
            self._quote(message, words)
            return
        text = message.script.restore(text)
        claim = group.claim
        mood = group.mood or (Mood.ORDER if group.is_order else moods.mood_of(words))
        slot = claim.slot if claim else _slot_of_order(group) if group.is_order else ""
        reasoning = claim.reasoning if claim else "用户直接提出了对助手的要求。" if group.is_order else ""
        message.found.append(
            Proposition(
                text=text,
                language="zh",
                mood=mood,
                subject=group.subject.label if group.subject else "",
                is_preference=bool(reasoning),
                reasoning=reasoning,
                slot=slot,
                title=claim.title if claim else "",
                event_time=event_time,
                corrects=group.corrects,
            )
        )
        self._told.append(_Told(group, text))

    def _written(self, group: _Group, said_at: datetime) -> tuple[str, datetime | None]:
        """The finished sentence and its date; "" where it would not stand alone."""
        words = group.words
        if group.is_order and not group.claim:
            words = acts.order_text(group.clauses)
        elif group.header:
            header = re.sub("^(?:以下|下面)?(?:是)?", "", group.header)
            words = f"{_headed(header)}：{words}"
        elif group.claim is None:
            words = self._with_subject(group, without_connective(words))
        named = words if group.header else name_pronouns(words, self._referents, group.subject)
        if named is None:
            return "", None
        dated = dates.date_chinese(named, said_at)
        text = dated.text
        if group.claim:
            if group.claim.dating and dated.at is None:
                text += group.claim.dating.format(dates.day_words(said_at))
            text += group.claim.ending
        text = third_person.as_sentence(to_third_person(text))
        if not stands_alone(text) or len(text) > _LONGEST_TEXT:
            return "", None
        return text, dated.at

    def _with_subject(self, group: _Group, words: str) -> str:
        if not group.is_dropped:
            return words
        label = group.subject.label if group.subject else "我"
        if found := re.match("^(?P<what>[^，我他她它对]{1,12})过敏$", words):
            words = f"对{found['what']}过敏"
        return label + words


def _kept_clauses(clauses: Sequence[str]) -> list[str]:
    """Without fillers, thanks and orders to keep what is said."""
    kept = []
    for clause in clauses:
        bare = acts.strip_openers(acts.without_order_to_keep(acts.strip_openers(clause)))
        if not bare or acts.is_opener(bare) or acts.asks_to_keep(bare) or acts.is_courtesy_clause(bare):
            continue
        kept.append(bare)
    return kept


def _claims_of(clause: str) -> list[Claim]:
    """The preferences and states of the user that a clause in the first person tells."""
    if len(clause) > _LONGEST_RULED:
        return []
    lead = re.match("^(?P<time>[^我，,]{2,12}?)，?(?=我)", clause)
    start = lead.end() if lead and dates.find_chinese_times(lead["time"], _SOME_DAY) else 0
    rest = clause[start:]
    found = find_versions(rest, "zh") or find_chinese_preferences(rest, rest) or find_chinese_states(rest)
    return [replace(claim, said=clause[:start] + claim.said) for claim in found]


_SOME_DAY = datetime(2024, 1, 1)


def _slot_of_order(group: _Group) -> str:
    """What the order is about, so that a later one of the same aspect replaces it."""
    wished = find_wish(group.clauses[-1], "zh") or find_wish(group.words, "zh")
    return wished[0].slot if wished else ""


def _name_claim(name: str) -> Claim:
    return Claim(f"我希望被称呼为{name}", "style:name", "称呼", "用户直接说明了希望被怎样称呼。")


def _headed(header: str) -> str:
    """The words above a list as something of the user's."""
    if re.match(rf"^(?:我|咱|{lexis.PEOPLE})", header):
        return header
    if re.match(lexis.TIME, header):
        return f"我{header}"
    return f"我的{header}" if re.match(rf"^(?:{lexis.OWN}|新年|药|清单|待办|计划)", header) else header


_INLINE = re.compile("^(?P<header>[^：:，]{2,16})[：:](?P<items>.{4,})$")
_AIMS = re.compile("目标|计划|打算|愿望|想做|要做|待办|清单|flag|Flag|心愿")
_SWITCH = re.compile(
    "^(?:现在|目前|如今|以前|之前|后来|最近|今年|去年|前年|明年|下个?月|上个?月|上周|下周|[0-9一二三四五六七八九十]{1,3}月|周[一二三四五六日末]|大?后天|明天|大?前天|昨天|今天|明天|同时|平时|周末|每)"
)
_DEPENDENT = re.compile(
    "^(?:所以|因为|就|才|但|不过|而(?!且)|可是|否则|不然|结果|导致|因此|于是|反而|甚至|毕竟|免得|省得|以免|主要|大概|差不多|一共|总共|也|还|都|只)"
)


def _belongs(group: _Group, clause: str, head: Head) -> bool:
    """Whether the clause continues the group's statement."""
    if len(group.words) + len(clause) > _LONGEST_GROUP:
        return False
    if head.kind is Kind.USER and len(clause) <= 9 and not has_object(clause) and not group.claim:
        # 我很喜欢: what, the clause before it says.
        return True
    if head.is_explicit:
        if (
            head.kind is Kind.USER
            and _DEPENDENT.match(clause)
            and re.match("^(?:所以|因为|就|才|但|不过|而)", clause)
        ):
            return group.subject is None or len(group.words) < 20
        return not has_predicate(group.words)
    if head.kind is Kind.DROPPED and group.subject and _points_away(clause, group.subject):
        return False
    if group.claim:
        is_complete = has_predicate(clause) and has_object(clause)
        return bool(_DEPENDENT.match(clause)) or _describes(clause) or not is_complete
    if head.kind is not Kind.DROPPED or not has_predicate(group.words):
        return True
    return not _SWITCH.match(clause) or bool(_DONE.match(clause))


# A time and a bare verb: of what, the clause before it says.
_DONE = re.compile(rf"^(?:{lexis.TIME}|就|才|又|也|已经)*[^，]{{1,2}}了$")
_DESCRIBES = re.compile(
    r"^(?:名字|小名|大名|名)?(?:叫|今年)?(?:[^，]{0,3}岁(?:半|多|了)*$|[男女]|公的|母的|叫|品种)|^(?:都|才|快)?[一二两三四五六七八九十\d]{1,3}(?:岁|个月)"
)


def _describes(clause: str) -> bool:
    """Whether a clause without a subject says what somebody who was just brought in is like: 叫豆豆, 三岁."""
    return bool(_DESCRIBES.match(clause))


def _points_away(clause: str, topic: Referent) -> bool:
    """Whether a clause speaks of the topic as somebody else than its subject."""
    pronouns = {"m": "他", "f": "她"}.get(topic.gender, "[他她]")
    return bool(
        re.search("它" if topic.is_thing else "他们|她们" if topic.is_many else f"{pronouns}(?!们)", clause)
    ) or bool(re.match("^(?:打算|准备|想|计划|要)(?:给|带|陪|送|接|帮)", clause))


_RELATIVE = re.compile(
    rf"(?:给|为|替|帮|送|陪|和|跟|带)(?:我)?(?:的)?(?P<what>[^，给为替帮]{{2,20}}?)的(?P<kin>{lexis.KIN})"
)
_FACT_ASKED = re.compile(
    rf"^(?:请问|你说|想问一?下?|那|我想(?:问|知道)一?下?)?(?P<fact>(?:我|咱|{lexis.KIN})[^，]{{3,40}}?)(?:，)?(?:能不能|可不可以|可以|会不会|要不要|该不该|该怎么办|怎么办|咋办|有什么(?:推荐|建议|办法|好)|适合|应该怎么|该怎么)"
)
_STATE_ASKED = re.compile("过敏|怀孕|孕|病|炎|症|岁|了$|是|有|在吃|患|得了|做过|不能|不吃|高血|低血|刚")


def _facts_inside(clause: str) -> list[str]:
    """The statements inside a request or a question: 给对花生过敏的儿子推荐零食."""
    if found := _RELATIVE.search(clause):
        what = re.sub("^(?:我|我家)(?:的|那个)?", "", found["what"])
        if has_predicate(what) or re.search("岁|过敏", what):
            return [f"我{found['kin']}{what}"]
    found = _FACT_ASKED.match(clause)
    if found and _STATE_ASKED.search(found["fact"]) and not acts.is_question(found["fact"]):
        return [found["fact"]]
    return []


_EXCLAMATION = re.compile(
    "(?:太|真|好|可|气|笑|累|烦|困|急|吓|服|绝|无语|救命|天|完|惨|爽|牛|哎|唉|我的妈|要命|离谱|糟|崩溃|头大|心累|郁闷|开心|难过|烦死)[^，]{0,4}$"
)


def _says_nothing(words: str, group: _Group) -> bool:
    if group.claim or group.header or group.is_order:
        return False
    bare = re.sub("[^\\w]", "", words)
    return len(bare) < 3 or (len(words) <= 7 and "我" not in words and bool(_EXCLAMATION.match(words)))
