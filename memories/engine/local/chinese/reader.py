"""The reader of Chinese: from a message to propositions that stand alone, what is not certain as a quotation."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from memories.engine.local.chinese import acts, left_out, moods, owners, requests
from memories.engine.local.chinese.changes import attributions, corrections, counts, objects
from memories.engine.local.chinese.groups import (
    LONGEST_GROUP,
    LONGEST_RULED,
    OWNED_BEHIND,
    ClauseGroup,
    continues_statement,
    find_user_claims,
    find_whom_it_befell,
    goes_on_with,
    has_other_subject,
    is_bare,
    points_away,
)
from memories.engine.local.chinese.parsing import lexis
from memories.engine.local.chinese.parsing.aims import split_aims
from memories.engine.local.chinese.parsing.heads import OWN, Head, HeadKind, read_head
from memories.engine.local.chinese.parsing.role_play import leave_out_roles
from memories.engine.local.chinese.parsing.segments import Sentence, split_message
from memories.engine.local.chinese.parsing.tagging import has_predicate
from memories.engine.local.chinese.referents import (
    Referent,
    Referents,
    find_name,
    find_patient,
    find_people,
)
from memories.engine.local.chinese.replies import answers, whom_asked_of
from memories.engine.local.chinese.writing.record import ASKED_DIRECTLY, PropositionRecord
from memories.engine.local.chinese.writing.rewriting import find_gap
from memories.engine.local.propositions import Mood, Proposition
from memories.text.claims import interviews, questionnaires
from memories.text.claims.notes import find_note
from memories.text.claims.reminders import find_reminder
from memories.text.zh.script import simplify
from memories.values import Turn

# A message that says more than this is searched as it stands.
_MOST_PROPOSITIONS = 40
_MOST_CHARACTERS = 8_000


class ChineseReader:
    """Reads the user's turns of one conversation, one after another; it remembers whom they named."""

    def __init__(self) -> None:
        self._referents = Referents()
        self._record = PropositionRecord(self._referents)
        # Whether the last sentence said that something was wrong, but not yet what.
        self._is_correcting = False
        # Whether the user has had the assistant work on something.
        self._has_asked = False
        self._spoken_of = whom_asked_of.SpokenOf()
        # Whether the user speaks in a role.
        self._is_playing = False

    def read(self, turn: Turn, at: int, turns: Sequence[Turn]) -> list[Proposition]:
        """Return what the turn says; `turns` is the whole conversation, of which those before `at` have been read."""
        text, script = simplify(left_out.fill_in(turn.text[:_MOST_CHARACTERS], turns[:at]))
        text, self._is_playing = leave_out_roles(text, self._is_playing)
        self._record.begin_message(turn.said_at, script)
        asked, _ = simplify(answers.find_question_before(turn, at, turns))
        self._referents.begin_message(asked)
        self._referents.notice_question(asked)
        last, message = self._record.last or ClauseGroup([]), text
        answered, text = answers.find_answers(asked, text, last, self._spoken_of.whom)
        if self._spoken_of.other and answers.asks_of_whom_was_meant(asked, last):
            self._referents.topic = self._spoken_of.other
        for answer in answered:
            self._read_answer(answer)
        stated, text = interviews.find_interview(text, "zh")
        filled, text = questionnaires.find_answers(text, "zh")
        for claim in (*stated, *filled):
            self._record.close(ClauseGroup([claim.statement], claim=claim))
        for sentence in split_message(text):
            if len(self._record.propositions) >= _MOST_PROPOSITIONS:
                break
            self._read_sentence(sentence)
        self._spoken_of.notice(message, self._record.last_of_message, is_answer=bool(asked))
        return self._record.propositions[:_MOST_PROPOSITIONS]

    # -- sentences ---------------------------------------------------------------------------------------------------

    def _read_sentence(self, sentence: Sentence) -> None:
        is_expected, self._is_correcting = self._is_correcting, False
        if corrections.is_cue_only(list(sentence.clauses)):
            self._is_correcting = True
            return
        if named := self._record.name_pronoun(sentence.text):
            sentence = Sentence(tuple(named.split("，")))
        last = self._record.last.words if self._record.last else ""
        if not sentence.header and (stated := attributions.restate_with_subject(sentence.clauses, last)):
            sentence = replace(sentence, clauses=stated)
        if not sentence.header and (ironic := moods.find_ironic_clauses(sentence.clauses)):
            self._read_ironic(sentence, ironic)
            return
        if not sentence.header and self._apply_correction(list(sentence.clauses), is_expected):
            return
        clauses = acts.keep_statements(sentence.clauses)
        if not clauses or (not sentence.header and self._restate_count(clauses)):
            return
        sentence = replace(sentence, clauses=tuple(clauses))
        if sentence.header:
            self._read_item(sentence)
        elif not self._propose_reminder(sentence.text):
            self._read_statement(sentence)

    def _read_ironic(self, sentence: Sentence, at: range) -> None:
        """Praise that is not meant is quoted with what it is about; what stands beside it is said in earnest."""
        self._record.quote("，".join(sentence.clauses[at.start : at.stop]), Mood.IRONY)
        earnest = [
            clause
            for place, clause in enumerate(sentence.clauses)
            if not moods.is_praise(clause)
            and (
                place not in at
                # A bother that names whom or what it befell: of 又停电了 nobody is the subject.
                or (
                    moods.is_bother(clause)
                    and read_head(clause, self._referents).kind is not HeadKind.DROPPED
                )
            )
        ]
        self._read_statement(Sentence(tuple(acts.keep_statements(earnest))))

    def _read_answer(self, answer: answers.Answered) -> None:
        if answer.is_of_thing:
            self._record.close(
                ClauseGroup([f"我的{answer.words}" if OWN.match(answer.words) else answer.words])
            )
            return
        if not answer.question:
            self._read_statement(Sentence(tuple(answer.words.split("，"))))
            return
        self._record.close(ClauseGroup([answer.words], asked=answer.question))
        if find_people(answer.words):
            self._referents.notice(answer.words)
            self._referents.put_first(None)

    def _read_item(self, sentence: Sentence) -> None:
        """One item of a list, with the words that the list stands under."""
        header = acts.strip_openers(sentence.header)
        words = sentence.text
        if acts.is_request(header) or acts.is_question(header):
            return
        if re.match(rf"^(?:我|咱|{lexis.KIN})", words) and has_predicate(words):
            self._read_statement(replace(sentence, header=""))
            return
        is_order = acts.continues_order(words) and acts.is_about_answers(header)
        if acts.is_standing_order(words) or is_order:
            self._record.close(ClauseGroup([words], is_order=True))
            return
        if name := re.match("^[一-龥]{2,4}(?=[，：: ]|（)", words):
            self._referents.notice("", Referent(name.group(), name.group()))
        self._record.close(ClauseGroup([words], header=header))

    def _propose_reminder(self, text: str) -> bool:
        """Propose what the user asks to be reminded of; return whether it is anything."""
        if len(text) > LONGEST_RULED:
            return False
        claims = find_reminder(text, "zh")
        note = None if claims else find_note(text, "zh")
        for claim in (*claims, *(note.claims if note else ())):
            if re.search("每(?!个人|位)", claim.statement):
                claim = replace(claim, reasoning=ASKED_DIRECTLY)
            self._record.close(ClauseGroup([claim.statement], claim=claim, mood=Mood.PLAN))
        if note and note.statement:
            self._read_statement(Sentence(tuple(acts.keep_statements(note.statement.split("，")))))
        return bool(claims) or note is not None

    # -- statements --------------------------------------------------------------------------------------------------

    def _read_statement(self, sentence: Sentence) -> None:
        if moods.is_unreal(sentence.text) or self._listed(sentence.text):
            return
        if self._read_conditional(sentence):
            return
        group: ClauseGroup | None = None
        work, requirements, is_asking = "", [], False
        last = len(sentence.clauses) - 1
        for at, clause in enumerate(map(self._referents.name_place, sentence.clauses)):
            if name := acts.name_wished(clause):
                self._finish_group(group)
                self._record.close(
                    ClauseGroup([f"我希望被称呼为{name}"], is_order=True, claim=acts.claim_name(name))
                )
                group = None
                continue
            is_asked = (sentence.is_question and at == last) or acts.is_question(clause)
            if group and group.is_order and acts.continues_order(clause) and not is_asked:
                group.clauses.append(clause)
                continue
            occasion = acts.find_occasion_before(sentence.clauses, at)
            if occasion or acts.is_standing_order(clause):
                self._finish_group(group)
                group = ClauseGroup([*occasion, clause], is_order=True)
                continue
            if at < last and acts.find_occasion_before(sentence.clauses, at + 1):
                continue
            if is_asked or acts.is_request(clause):
                is_asking = self._has_asked = True
                self._referents.notice(clause, None)
                work = requests.find_requested_work(clause) or work
                for words in requests.find_facts_inside(clause):
                    self._finish_group(group)
                    group = self._open_group(words, read_head(words, self._referents), None)
                continue
            if acts.is_english(clause):
                self._finish_group(group)
                group = None
                self._record.quote(clause)
                continue
            head = read_head(clause, self._referents)
            if is_asking and work and requests.is_requirement(clause):
                requirements.append(clause)
                continue
            if is_asking and not (head.is_explicit or find_user_claims(clause)):
                if head.kind is HeadKind.THING and requests.is_event(clause):
                    self._record.quote(clause)
                continue
            if self._has_asked and requests.is_uniform_rule(clause):
                self._finish_group(group)
                group = ClauseGroup([clause], is_order=True)
                continue
            is_asking = False
            group = self._take_clause(group, clause, head)
        self._finish_group(group)
        if len(requirements) > 1:
            self._record.close(ClauseGroup(requirements, header=f"我对{work}的要求", mood=Mood.ORDER))

    def _listed(self, text: str) -> bool:
        """A list on one line: what is planned comes one by one, what is only counted up stays together."""
        header, items = split_aims(text)
        for item in items:
            self._record.close(ClauseGroup([item], header=acts.strip_openers(header), mood=Mood.PLAN))
        return bool(items)

    def _read_conditional(self, sentence: Sentence) -> bool:
        """A condition stays with what follows from it; false where the sentence has none."""
        if (at := requests.find_supposition(sentence)) is not None:
            self._read_statement(Sentence(sentence.clauses[:at]))
            return True
        clauses = list(sentence.clauses)
        at = next((place for place, clause in enumerate(clauses) if moods.is_condition(clause)), None)
        if at is None or sentence.is_question:
            return False
        if any(acts.is_request(clause) or acts.is_question(clause) for clause in clauses):
            return True
        if acts.is_standing_order(clauses[-1]):
            self._record.close(ClauseGroup(clauses, is_order=True))
            return True
        if at:
            self._read_statement(Sentence(tuple(clauses[:at])))
            clauses = clauses[at:]
        head = read_head(re.sub("^(?:如果|要是|假如|万一|只要|一旦)", "", clauses[0]), self._referents)
        words = "，".join(clauses)
        subject = head.referent if head.kind is HeadKind.PERSON else None
        if len(words) > LONGEST_GROUP + 16:
            self._record.quote(words, Mood.CONDITION)
        else:
            self._record.close(ClauseGroup(clauses, subject, mood=Mood.CONDITION))
        return True

    def _take_clause(self, group: ClauseGroup | None, clause: str, head: Head) -> ClauseGroup | None:
        """Joins the clause to the group or begins a new one."""
        if group and group.introduces_user and _AGE.fullmatch(clause):
            clause += "岁"
        claims = (
            find_user_claims(clause) if head.kind in (HeadKind.USER, HeadKind.DROPPED, HeadKind.THING) else []
        )
        if group and (goes_on_with(group, clause, head) or moods.is_of_one_day(clause, group.clauses[-1])):
            claims = []
        topic = group.goes_on_about if group else self._referents.topic
        is_users = head.kind is HeadKind.USER or (head.kind is not HeadKind.PRONOUN and topic is None)
        if claims and is_users and not moods.is_hearsay(clause):
            self._finish_group(group)
            for claim in claims[:-1]:
                self._record.close(ClauseGroup([claim.statement], claim=claim))
            self._notice_referents(clause, None)
            self._referents.topic = None
            return ClauseGroup([claims[-1].statement], topic=head.thing, claim=claims[-1])
        if group and continues_statement(group, clause, head):
            if len(group.words) + len(clause) > LONGEST_GROUP:
                group = self._carry_group(group)
            group.append(clause, head)
            self._notice_referents(clause, None)
            if group.is_back_at_user:
                self._referents.topic = None
            return group
        self._finish_group(group)
        return self._open_group(clause, head, group)

    def _carry_group(self, group: ClauseGroup) -> ClauseGroup:
        """A new group for what does not fit any more; the last clause goes along, because it may need it."""
        if len(group.clauses) < 2:
            self._finish_group(group)
            return ClauseGroup([], group.subject, group.topic, is_dropped=True)
        clause = group.clauses.pop()
        self._finish_group(group)
        return self._open_group(clause, read_head(clause, self._referents), group)

    def _open_group(self, clause: str, head: Head, before: ClauseGroup | None) -> ClauseGroup:
        """A group whose subject is the clause's own, or else the one that the talk was about."""
        topic = before.goes_on_about if before else self._referents.topic
        group = ClauseGroup([clause], topic=head.thing, is_dropped=head.kind is HeadKind.DROPPED)
        subject = clause[head.start : head.end]
        if head.kind in (HeadKind.PERSON, HeadKind.PRONOUN):
            group.subject = head.referent
            group.is_quote = head.referent is None
            if head.referent and not subject.startswith(("我", "咱", "俺")):
                named = f"{head.referent.label}{find_gap(head.referent.label, clause[head.end :])}"
                group.clauses[0] = clause[: head.start] + named + clause[head.end :]
        elif head.kind is HeadKind.USER and not subject:
            group.clauses[0] = clause[: head.start] + "我" + clause[head.start :]
        elif head.kind is HeadKind.DROPPED and has_other_subject(clause, topic):
            group.is_dropped = False
        elif not topic and before is None and (whom := find_whom_it_befell(clause, head)):
            group.subject = self._referents.find_only_recent(of_animals=whom == "animal")
            group.is_quote = group.subject is None
        elif head.kind is HeadKind.DROPPED and topic and not points_away(clause, topic):
            group.subject = topic
        elif head.kind is HeadKind.THING and topic and not topic.is_thing and "我" not in clause:
            owners.give_owner(group, head, topic, self._record.last if before is None else None)
        elif head.kind is HeadKind.THING and topic is None and OWN.match(clause, head.start):
            group.is_quote = before is None and OWN.fullmatch(clause, head.start) is not None
            own = "" if group.is_quote else "我的"
            group.clauses[0] = f"{clause[: head.start]}{own}{clause[head.start :]}"
        if before is None and group.is_dropped and topic and _WILL.match(clause):
            group.is_quote = True  # in a sentence of its own, nobody can tell who wants it
        if is_bare(clause, group, is_first=before is None):
            group.is_quote, group.clauses[0] = True, clause
        # Of 我妈的手术推迟了 the subject is what is hers.
        is_owned = head.kind is HeadKind.PERSON and bool(OWNED_BEHIND.match(clause, head.end))
        group.is_about_thing = is_owned or (group.subject is None and head.is_of_thing(clause))
        self._referents.put_first(group.subject)
        self._notice_referents(clause, group.subject)
        patient = find_patient(clause, self._referents) if head.kind is HeadKind.USER else None
        self._referents.topic = group.subject or head.thing or patient
        return group

    def _notice_referents(self, clause: str, subject: Referent | None) -> None:
        self._referents.notice(clause, subject)
        if name := find_name(clause):
            if re.match("^(?:名字|小名|大名|名)?叫", clause):
                self._referents.name_last(name)
            elif not re.search("我(?:的名字)?叫", clause):
                self._referents.notice("", Referent(name, name))
                self._referents.put_first(Referent(name, name))

    def _finish_group(self, group: ClauseGroup | None) -> None:
        if group and group.clauses:
            self._record.close(group)

    # -- corrections -------------------------------------------------------------------------------------------------

    def _apply_correction(self, clauses: list[str], is_expected: bool) -> bool:
        """Applies a correction that the sentence makes; false where it makes none."""
        before, correction, after = corrections.find_correction(clauses, is_expected)
        if correction is None:
            return False
        earlier, seen = list(self._record.statements), len(self._record.propositions)
        if before:
            self._read_statement(Sentence(tuple(acts.keep_statements(before))))
        just_said = [statement for statement in self._record.statements if statement not in earlier]
        known = [*earlier, *just_said] if correction.is_cued else earlier
        target = objects.find_target(correction, [statement.group.words for statement in known], after)
        if target and known[target.place] in earlier and corrections.says_what_was_meant(before):
            del self._record.propositions[seen:]
            self._record.statements = earlier
            self._record.quote("，".join(clauses))
            return True
        if target:
            self._record.replace_statement(known[target.place], *target.corrected)
        if target is None and not correction.is_certain:
            del self._record.propositions[seen:]
            self._record.statements = earlier
            return False
        if target is None and before:
            # What was just said is wrong, and nobody knows which of it.
            del self._record.propositions[seen:]
            self._record.statements = earlier
            self._record.quote("，".join(clauses))
            return True
        if target is None and correction.full:
            self._read_statement(Sentence(tuple(acts.keep_statements(correction.full.split("，")))))
        elif target is None:
            self._record.quote("，".join(clauses[len(before) : len(clauses) - len(after)]))
        after = [clause for clause in after if not corrections.only_explains(clause, correction)]
        if after:
            self._read_sentence(Sentence(tuple(after)))
        return True

    def _restate_count(self, clauses: list[str]) -> bool:
        """Says an earlier statement anew with the number that holds now; false where nothing is counted."""
        at = next((place for place, clause in enumerate(clauses) if counts.find_count(clause)), None)
        count = counts.find_count(clauses[at]) if at is not None else None
        if at is None or count is None:
            return False
        known = list(self._record.statements)
        target = counts.count_anew([statement.group.words for statement in known], *count)
        if target is None:
            is_named = at > 0 and read_head(clauses[at - 1], self._referents).kind is not HeadKind.DROPPED
            if not is_named:
                self._record.quote("，".join(clauses))
            return not is_named
        if beside := [*clauses[:at], *clauses[at + 1 :]]:
            self._read_statement(Sentence(tuple(beside)))
        place, words, wrong = target
        if any(proposition.text == known[place].text for proposition in self._record.propositions):
            self._record.replace_statement(known[place], words, (wrong,))
        else:
            self._record.close(replace(known[place].group, clauses=words.split("，"), claim=None))
        return True


_WILL = re.compile("[^，我]{0,6}?不?(?:想|打算|准备|愿意)(?![起到])")
_AGE = re.compile(r"(?:今年)?(?:[1-9]\d|[二三四五六七八九]十[一二三四五六七八九]?)")
