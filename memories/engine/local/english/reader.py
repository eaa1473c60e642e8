"""Reads what a user says in English, turn by turn, into propositions.

A message is cut into sentences, sentences into clauses that each say one thing. A clause that the parser and the rules
understand is written in the third person; any other that says something is kept as a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memories.engine.local.english import claimed, moods, orders, presupposed
from memories.engine.local.english.changes import corrections, other_things
from memories.engine.local.english.changes.counts import count_anew, find_count
from memories.engine.local.english.changes.no_longer import find_change
from memories.engine.local.english.parsing import message
from memories.engine.local.english.parsing.clauses import SpokenClause, split_document
from memories.engine.local.english.parsing.documents import Documents
from memories.engine.local.english.parsing.foreign import is_foreign
from memories.engine.local.english.parsing.rewriting import openers, passives, preparing
from memories.engine.local.english.parsing.rewriting.ellipsis import fill_in, part_at_comma
from memories.engine.local.english.parsing.rewriting.whereabouts import find_place
from memories.engine.local.english.people import Referent, Referents, find_referents_asked_about
from memories.engine.local.english.preferences import find_taste, names_things
from memories.engine.local.english.replies import answers, questions
from memories.engine.local.english.statement import (
    Statement,
    read_statement,
    resolve_pronouns,
    says_only_that,
)
from memories.engine.local.english.writing.coverage import find_left_out, keep_what_stands_alone
from memories.engine.local.english.writing.lists import write_item
from memories.engine.local.english.writing.quotes import as_said, quote, with_words_before
from memories.engine.local.english.writing.settling import drop_ended_states, remove_repeated
from memories.engine.local.propositions import Mood, Proposition
from memories.text.claims import interviews, questionnaires
from memories.text.claims.notes import find_note
from memories.text.claims.reminders import find_reminder
from memories.text.clauses import statements
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.small_talk import declines_answer, is_courtesy
from memories.text.en.third_person import expand_contractions
from memories.text.en.verbs import with_subject
from memories.text.quotes.quoting import MOST_WORDS, quote_words
from memories.text.slots.claim import Claim
from memories.text.time.english import date_english
from memories.values import Turn

if TYPE_CHECKING:
    from spacy.tokens import Doc

# So many memories one message may give; what is beyond stays searchable in the stored message.
MOST_PROPOSITIONS = 60
_NO_MORE = re.compile(r"\b(?:any ?more|no longer|any longer)\b", re.IGNORECASE)
# So many sentences are parsed in one go: what is beyond the last memory is never parsed.
_PARSED_AT_ONCE = 32
_REMEMBERED = 24  # earlier clauses among which a correction finds what it replaces


class EnglishReader:
    """One for each talk: it remembers whom and what the talk has named."""

    def __init__(self) -> None:
        self._referents = Referents()
        self._clauses: list[corrections.ReadClause] = []
        self._documents = Documents()
        self._parse = self._documents.of
        # Whether the last sentence began with words of correction, so that the next may go on with it.
        self._is_correcting = self._was_ironic = False
        # The sentence that is read, as it was said, and the one before it in the same message.
        self._sentence = self._sentence_before = ""
        # The last sentence, where it only supposed something: what would follow from that is no fact.
        self._supposed = ""

    def read(self, turn: Turn, at: int, turns: Sequence[Turn]) -> list[Proposition]:
        """Return what the user's turn `at` says; `turns` are all turns of the talk."""
        propositions: list[Proposition] = []
        self._documents.clear()
        self._sentence = ""
        self._referents.begin_message(
            " ".join(recent_turn.text[-600:] for recent_turn in turns[max(at - 2, 0) : at + 1])
        )
        stated, rest = interviews.find_interview(message.extract_prose(turn.text), "en")
        answered, rest = questionnaires.find_answers(rest, "en")
        propositions += [self._build_from_claim(claim, Mood.FACT, turn, at) for claim in (*stated, *answered)]
        had_code = message.holds_code(turn.text)
        lines = list(message.read_lines(rest))
        prepared = [preparing.prepare_line(line) for line in lines]
        is_reply = at > 0 and turns[at - 1].role == "assistant"
        question = questions.find_last_question(turns[at - 1].text) if is_reply else ""
        question = questions.with_names(question, self._referents.find_name)
        for name in questions.find_people_asked_about(question):
            self._referents.notice(find_referents_asked_about(name))
        asked = questions.split_questions(question, len(prepared))
        for place, line in enumerate(prepared):
            if len(propositions) >= MOST_PROPOSITIONS:
                break
            if place % _PARSED_AT_ONCE == 0:
                self._documents.parse_lines(prepared[place : place + _PARSED_AT_ONCE])
            if not had_code and statements.hands_over_material(line.text, "en"):
                break
            read = self._read_line(line, turn, at, asked[place] if place < len(asked) else "")
            read = [replace(proposition, context=line.whole[:600]) for proposition in read]
            gone = {text for proposition in read for text in proposition.supersedes}
            propositions = [
                proposition for proposition in propositions if proposition.text not in gone
            ] + read
        return drop_ended_states(remove_repeated(propositions)[:MOST_PROPOSITIONS])

    def _read_line(self, line: message.MessageLine, turn: Turn, at: int, question: str) -> list[Proposition]:
        text, self._sentence_before, self._sentence = line.text, self._sentence, line.whole
        self._referents.has_sentence_before = bool(self._sentence_before)
        if question and (answered := self._read_answer(question, line, turn, at)) is not None:
            return answered
        if not text or is_courtesy(text) or moods.is_wish_for_answer(text, self._sentence_before):
            return []
        if is_foreign(text) or not preparing.is_parsed(text):
            return self._quote_words(text, turn, at)
        if message.quotes_sentences(line.whole):  # somebody else's words are not about the user
            return self._quote_words(line.whole, turn, at)[:1]
        if line.heading:
            return self._read_item(line, turn, at)
        is_aside = self._was_ironic and moods.is_praise(line.whole)
        self._was_ironic = moods.is_ironic(line.whole) or moods.is_overstated(line.whole) or is_aside
        if self._was_ironic:
            return self._quote_words(openers.remove_openers(line.whole), turn, at, Mood.IRONY)
        if (corrected := self._read_correction(line, turn, at)) is not None:
            return corrected
        if (counted := self._restate_count(line, turn, at)) is not None:
            return counted
        supposed, self._supposed = self._supposed, line.whole if moods.is_supposition(line.whole) else ""
        if supposed and moods.is_consequence(line.whole):
            self._supposed = supposed
            return self._quote_words(f"{supposed} {line.whole}", turn, at, Mood.CONDITION)
        if reminder := find_reminder(expand_contractions(line.whole), "en"):
            return [self._build_from_claim(claim, Mood.PLAN, turn, at) for claim in reminder]
        return [] if moods.only_supposes(self._parse(text)) else self._read_statements(text, turn, at)

    def _read_statements(self, text: str, turn: Turn, at: int) -> list[Proposition]:
        """The propositions of a sentence that corrects nothing."""
        bare = expand_contractions(text)
        is_over = bool(_NO_MORE.search(bare))
        if parts := (find_change(bare) if is_over else ()) or part_at_comma(self._parse(text)):
            return [proposition for part in parts for proposition in self._read_statements(part, turn, at)]
        if (
            not is_over
            and (contrast := find_contrast(bare))
            and preparing.has_subject_and_verb(contrast.statement)
            and contrast.statement not in bare
        ):
            stated = self._read_clause(contrast.statement, turn, at)
            return [replace(proposition, corrects=(contrast.wrong,)) for proposition in stated]
        if note := find_note(bare, "en"):
            propositions = [self._build_from_claim(claim, Mood.PLAN, turn, at) for claim in note.claims]
            if note.statement:
                propositions += self._read_statements(openers.with_full_verbs(note.statement), turn, at)
            return propositions
        if being := preparing.AS_SOMEBODY.match(text):
            stated = self._read_clause(f"I am {being['what']}", turn, at)
            return [*stated, *self._read_statements(being["rest"], turn, at)]
        is_one_order, (ordered, why) = not text.rstrip().endswith("?"), orders.split_reason(bare)
        if is_one_order and why and (order := orders.read_standing_order(ordered)):
            self._referents.notice(read_statement(self._parse(ordered), self._referents).named)
            propositions = [self._build_from_claim(claim, Mood.ORDER, turn, at) for claim in order]
            return propositions + self._read_statements(openers.with_full_verbs(why), turn, at)
        joined = orders.find_orders_in_request(bare)
        if is_one_order and not joined and (order := orders.read_orders(bare)):
            return [self._build_from_claim(claim, Mood.ORDER, turn, at) for claim in order]
        if reminder := find_reminder(bare, "en"):
            return [self._build_from_claim(claim, Mood.PLAN, turn, at) for claim in reminder]
        propositions = [self._build_from_claim(claim, Mood.ORDER, turn, at) for claim in joined]
        pieces = fill_in(split_document(self._parse(text)), self._parse)
        if len(pieces) == 1 and (parted := preparing.split_statement_and_question(text)):
            return propositions + [
                proposition for part in parted for proposition in self._read_statements(part, turn, at)
            ]
        if moods.hangs_on_condition(text, [piece.text for piece in pieces]):
            pieces = [SpokenClause(text, text)]
        if statements.is_about_made_up_text(bare):
            self._referents.notice_recipients(text, read_statement(self._parse(text), self._referents).named)
            facts = presupposed.find_facts_around_text(bare, pieces, self._parse)
            return propositions + self._read_facts(facts, turn, at)
        is_asked = text.rstrip().endswith("?") or statements.is_question(bare, "en")
        lost: list[str] = []
        for place, piece in enumerate(pieces):
            doc = self._parse(piece.text)
            is_stated = preparing.has_name_and_verb(piece.text) or openers.with_contracted_verb(doc)
            is_question = is_asked and (place == len(pieces) - 1 or not is_stated)
            whole, beside = piece.whole if len(pieces) == 1 else "", [other.text for other in pieces]
            read = self._read_piece(piece.text, turn, at, beside, whole, is_asked=is_question)
            if len(pieces) > 1:
                read, is_lost = keep_what_stands_alone(read, piece.text, text)
                lost += [piece.text] * is_lost
            propositions += read
        if is_asked or statements.is_request(bare, "en") or orders.is_command(self._parse(text)):
            return propositions
        left_out = find_left_out(text, [proposition.text for proposition in propositions], lost)
        return propositions + [quote for part in left_out for quote in self._quote_words(part, turn, at)]

    def _notice_place(self, doc: Doc) -> None:
        self._referents.place = find_place(doc) or self._referents.place

    def _is_known(self, fact: str) -> bool:
        """Return whether the talk has named what a fact says that there is: "I have a dog"."""
        animal = presupposed.find_animal(fact)
        return bool(animal) and self._referents.knows(animal)

    def _is_own(self, thing: str) -> bool:
        """Return whether the talk has named a thing as the user's, as "my bike" for "bike"."""
        return " " not in thing and self._referents.knows(thing.lower())

    def _read_facts(self, facts: Sequence[str], turn: Turn, at: int) -> list[Proposition]:
        return [
            proposition for fact in facts for proposition in self._read_piece(fact, turn, at, is_asked=False)
        ]

    def _read_piece(
        self,
        piece: str,
        turn: Turn,
        at: int,
        beside: Sequence[str] = (),
        whole: str = "",
        *,
        is_asked: bool,
    ) -> list[Proposition]:
        if kept := presupposed.find_fact_to_keep(piece):
            return self._read_piece(kept, turn, at, is_asked=False)
        bare = expand_contractions(piece)
        doc = self._parse(piece)
        is_asked = is_asked or statements.is_question(bare, "en") or statements.is_request(bare, "en")
        if is_asked or orders.is_command(doc):
            if order := orders.read_standing_order(bare):
                return [self._build_from_claim(claim, Mood.ORDER, turn, at) for claim in order]
            facts = [fact for fact in presupposed.find_presupposed_facts(doc) if not self._is_known(fact)]
            self._referents.notice(read_statement(doc, self._referents).named)
            self._notice_place(doc)
            return self._read_facts(facts, turn, at)
        if order := orders.read_standing_order(bare):
            return [self._build_from_claim(claim, Mood.ORDER, turn, at) for claim in order]
        if statements.is_hypothetical(bare, "en") and re.match(
            r"(?:suppose|imagine|pretend|what if|let's say|say)\b", bare, re.IGNORECASE
        ):
            return []
        return self._read_clause(piece, turn, at, beside, whole)

    def _read_clause(
        self, piece: str, turn: Turn, at: int, beside: Sequence[str] = (), whole: str = ""
    ) -> list[Proposition]:
        """One clause as a proposition, or as more where it names several tastes or states.

        `beside` are all clauses of its sentence, `whole` is the sentence where the clause is all of it.
        """
        if is_courtesy(piece):
            return []
        piece = openers.remove_tail(preparing.NOW.sub("", piece))
        if fuller := openers.with_contracted_verb(self._parse(piece)):
            piece = fuller
        statement = read_statement(self._parse(piece), self._referents)
        self._notice_place(statement.doc)
        if statement.lacks_subject and (fuller := with_subject(piece)) != piece:
            return self._read_clause(fuller, turn, at, beside, whole or piece)
        is_unreal = moods.is_unreal(piece)
        if not is_unreal:
            self._referents.notice_things(statement.things)
        if not statement.is_certain:
            if passive := passives.write_passive(piece):
                return self._read_clause(passive, turn, at, beside)
            if tasted := claimed.read_plain_taste(piece, beside):
                propositions = [tasted]
            elif preparing.says_nothing(piece) or not statement.has_substance:
                propositions = []
            else:
                propositions = self._quote_words(whole or piece, turn, at)
            # Whom the words themselves name, a pronoun at their beginning does not mean.
            self._referents.notice(statement.named)
            return propositions
        original = piece
        if statement.replaced:
            piece = resolve_pronouns(statement, statement.replaced)
            named = statement.named
            statement = read_statement(self._parse(piece), self._referents)
            statement = replace(
                statement,
                named=list({referent.phrase: referent for referent in (*named, *statement.named)}.values()),
            )
        elif preparing.says_nothing(piece) or says_only_that(statement.root):
            return []
        mood = moods.detect_mood(statement.root, piece)
        claims = claimed.find_user_claims(piece, mood, beside)
        if len(claims) > 1 and not names_things(statement.doc, [claim.thing for claim in claims]):
            claims = find_taste(expand_contractions(piece))
        propositions = [self._build_from_claim(claim, mood, turn, at, statement) for claim in claims]
        propositions = propositions or [claimed.build_proposition(statement, mood, turn.said_at)]
        if any(proposition.is_quote for proposition in propositions):
            return self._quote_words(original, turn, at)
        self._referents.notice(
            [referent for referent in statement.named if not (is_unreal and referent.gender == "thing")]
        )
        liked = [claim.thing for claim in claims if claim.thing and not claim.thing.endswith("s")]
        self._referents.notice(
            [Referent(thing, "thing") for thing in liked[:1] if not is_unreal and not self._is_own(thing)]
        )
        return self._remember_propositions(piece, propositions, at)

    def _build_from_claim(
        self, claim: Claim, mood: Mood, turn: Turn, at: int, statement: Statement | None = None
    ) -> Proposition:
        own = statement is not None and expand_contractions(statement.doc.text) == claim.statement
        read = (
            statement if own and statement else read_statement(self._parse(claim.statement), self._referents)
        )
        return claimed.build_claim_proposition(claim, read, mood, turn.said_at)

    def _read_item(self, line: message.MessageLine, turn: Turn, at: int) -> list[Proposition]:
        """An item of a list, said together with the heading that it stands under."""
        if preparing.has_subject_and_verb(line.text):
            return self._read_statements(line.text, turn, at)
        if re.match(r"(?:I|we)\b|.*\b(?:I|we)\b.*\bto$", line.heading, re.IGNORECASE):
            return self._read_statements(f"{line.heading} {line.text[0].lower()}{line.text[1:]}", turn, at)
        if statements.is_request(line.heading, "en"):
            return []
        text = write_item(line.heading, line.text)
        if not text or len(text.split()) > MOST_WORDS:
            return self._quote_words(f"{line.heading}: {line.text}", turn, at)
        return [Proposition(text=text, language="en")]

    def _read_answer(
        self, question: str, line: message.MessageLine, turn: Turn, at: int
    ) -> list[Proposition] | None:
        """The answer together with its question; None where it is a statement of its own."""
        raw = line.whole.strip()
        if declines_answer(raw):
            return []
        is_sentence, has_subject = (
            preparing.has_subject_and_verb(line.text),
            preparing.has_subject_and_verb(raw),
        )
        if answers.stands_alone(question, raw, has_subject, is_sentence) or not raw or raw.endswith("?"):
            return None
        doc = self._parse(raw)
        if answers.is_clause(doc):
            return None
        if parted := answers.split_answer_and_statement(raw):
            stated = self._read_answer(question, replace(line, text=parted[0], whole=parted[0]), turn, at)
            is_of_others = questions.is_about_others(question) and preparing.has_subject_and_verb(parted[1])
            if stated and (is_of_others or not stated[0].is_quote):
                return stated + self._read_statements(openers.with_full_verbs(parted[1]), turn, at)
        given = answers.remove_capital(question, raw, doc)
        is_open = declines_answer(raw.partition(" but ")[0].rstrip(","))
        if not is_open and (full_answer := answers.write_full_answer(question, given)):
            stated = self._read_clause(openers.with_full_verbs(full_answer), turn, at)
            if stated and not any(proposition.is_quote for proposition in stated):
                return stated
        is_long = len(f'asked "{question}": "{raw}"'.split()) > 40
        if is_long or is_courtesy(raw) or orders.is_command(self._parse(line.text)):
            return None
        head, _, tail = quote_words(raw, turn.said_at, "en")[0].partition(': "')
        text, tense = f'{head}, asked "{question}": "{tail}', questions.find_tense(question)
        day = date_english(raw, turn.said_at, tense=tense).at
        self._remember_propositions(raw, [], at)
        self._referents.notice(answers.find_named_in_answer(question, doc))
        return [Proposition(text=text, language="en", is_quote=True, event_time=day)]

    def _read_correction(self, line: message.MessageLine, turn: Turn, at: int) -> list[Proposition] | None:
        """Return what a correction restates; None where the sentence corrects nothing."""
        is_going_on = self._is_correcting and corrections.goes_on(line.whole)
        self._is_correcting = corrections.has_cue(line.whole) or other_things.says_who_is_meant(line.whole)
        if not (self._is_correcting or is_going_on) or not self._clauses:
            return None
        correction = corrections.find_correction(line.whole, goes_on=is_going_on)
        if correction is not None:
            target = corrections.find_target([clause.source for clause in self._clauses], correction)
            if target is None:
                return self._correct_object(line, turn, at)
            place, source, wrong = target
            stated = self._read_clause(source, turn, at)
            return [
                corrections.correct_clause(proposition, self._clauses[place], wrong) for proposition in stated
            ]
        if corrections.names_the_past(line.whole):
            return []
        put = self._correct_object(line, turn, at)
        return self._read_corrected_clause(line, turn, at) if put is None else put

    def _correct_object(self, line: message.MessageLine, turn: Turn, at: int) -> list[Proposition] | None:
        """The last clause with another thing in it: "Aisle, actually"; None where that is not what was said."""
        old = self._clauses[-1]
        if not (replacement := other_things.find_replacement(old.source, line.whole, self._parse)):
            return None
        return [
            corrections.correct_clause(proposition, old, replacement[1])
            for proposition in self._read_clause(replacement[0], turn, at)
        ]

    def _restate_count(self, line: message.MessageLine, turn: Turn, at: int) -> list[Proposition] | None:
        """An earlier clause with the number that holds now; a quotation of a bare number of nobody knows what."""
        count = find_count(line.whole)
        if count is None:
            return None
        target = count_anew([clause.source for clause in self._clauses], count)
        if target is None:
            return self._quote_words(line.whole, turn, at) if count.is_last else None
        place, source, wrong = target
        old = self._clauses[place]
        beside = [openers.with_full_verbs(part) for part in count.beside]
        if any(proposition.is_quote for proposition in old.propositions):
            return self._quote_words(line.whole, turn, at)  # nobody said the words with the other number
        propositions = [
            proposition for part in beside for proposition in self._read_statements(part, turn, at)
        ]
        stated = self._read_clause(source, turn, at)
        if old.at == at:  # within one message, nothing tells that one came after the other
            stated = [corrections.correct_clause(proposition, old, wrong) for proposition in stated]
        return propositions + stated

    def _read_corrected_clause(
        self, line: message.MessageLine, turn: Turn, at: int
    ) -> list[Proposition] | None:
        """A whole clause after words of correction takes the place of the last one that differs in a value only."""
        rest = corrections.remove_cue(line.whole)
        if rest == line.whole.strip() or not preparing.has_subject_and_verb(rest):
            return None
        known = list(self._clauses)
        stated = self._read_statements(openers.with_full_verbs(openers.remove_openers(rest)), turn, at)
        return [corrections.replace_only_value(proposition, known) for proposition in stated]

    def _quote_words(self, words: str, turn: Turn, at: int, mood: Mood = Mood.FACT) -> list[Proposition]:
        quotation = as_said(words, self._sentence)
        quotation = with_words_before(quotation, self._sentence, self._sentence_before, self._referents)
        propositions = quote(quotation, turn.said_at, self._referents, mood)[:MOST_PROPOSITIONS]
        return self._remember_propositions(words, propositions, at)

    def _remember_propositions(
        self, source: str, propositions: list[Proposition], at: int
    ) -> list[Proposition]:
        self._clauses = [*self._clauses, corrections.ReadClause(source, tuple(propositions), at)][
            -_REMEMBERED:
        ]
        return propositions
