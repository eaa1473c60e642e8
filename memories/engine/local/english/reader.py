"""Reads what a user says in English, turn by turn, into propositions.

A message is cut into sentences, sentences into clauses that each say one thing. A clause that the parser and the rules
understand is written in the third person; any other that says something is kept as a quotation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memories.engine.local.english import answers, corrections, orders, presupposed
from memories.engine.local.english.claimed import claims_of, plain_taste
from memories.engine.local.english.coverage import is_patchwork, left_out
from memories.engine.local.english.lists import write_item
from memories.engine.local.english.moods import is_ironic, is_overstated, is_praise, mood_of
from memories.engine.local.english.parsing import preparing
from memories.engine.local.english.parsing.clauses import split_document, with_shared_subjects
from memories.engine.local.english.parsing.foreign import is_foreign
from memories.engine.local.english.parsing.message import Line, prose_of, quotes_sentences, read_lines
from memories.engine.local.english.parsing.openers import (
    with_contracted_verb,
    with_full_verbs,
    without_openers,
)
from memories.engine.local.english.parsing.parser import parse_sentences
from memories.engine.local.english.people import Referent, Referents
from memories.engine.local.english.preferences import find_taste, names_things
from memories.engine.local.english.quotes import quote
from memories.engine.local.english.settling import distinct, settle
from memories.engine.local.english.statement import (
    Statement,
    read_statement,
    resolved_text,
    says_only_that,
    write_statement,
)
from memories.engine.local.propositions import Mood, Proposition
from memories.text.claims import interviews, questionnaires
from memories.text.claims.notes import find_note
from memories.text.claims.reminders import find_reminder
from memories.text.clauses import statements
from memories.text.clauses.contrast import find_contrast
from memories.text.clauses.small_talk import is_courtesy
from memories.text.en.third_person import expand_contractions
from memories.text.en.verbs import with_subject
from memories.text.quotes.quoting import MOST_WORDS, quote_words
from memories.text.slots.claims import Claim
from memories.text.spacing import tidy_spacing
from memories.values import Turn

if TYPE_CHECKING:
    from spacy.tokens import Doc

# So many memories one message may give; what is beyond stays searchable in the stored message.
MOST_PROPOSITIONS = 60
# What only might be: no later "it" means anything in it.
_UNREAL = re.compile(
    r"(?:if|suppose|imagine|unless)\b|.*\b(?:if|unless) |.*\bwould (?!rather\b|sooner\b|like\b|love\b)|.*(?:\bI|\bwe)'d (?!rather\b|like\b|love\b|been\b|had\b)",
    re.IGNORECASE,
)
_NO_MORE = re.compile(r"\b(?:any ?more|no longer|any longer)\b", re.IGNORECASE)
# So many sentences are parsed in one go: what is beyond the last memory is never parsed.
_PARSED_AT_ONCE = 32
_REMEMBERED = 24  # earlier clauses among which a correction finds what it replaces


class EnglishReader:
    """One for each talk: it remembers whom and what the talk has named."""

    def __init__(self) -> None:
        self._referents = Referents()
        self._said: list[corrections.Said] = []
        self._parsed: dict[str, Doc] = {}
        # Whether the last sentence began with words of correction, so that the next may go on with it.
        self._is_correcting = False
        self._was_ironic = False

    def read(self, turn: Turn, at: int, turns: Sequence[Turn]) -> list[Proposition]:
        """What the user's turn `at` says; `turns` are all turns of the talk."""
        found: list[Proposition] = []
        self._parsed.clear()
        self._referents.begin_message()
        stated, rest = interviews.find_interview(prose_of(turn.text), "en")
        answered, rest = questionnaires.find_answers(rest, "en")
        found += [self._of_claim(claim, Mood.FACT, turn, at) for claim in (*stated, *answered)]
        had_code = len(prose_of(turn.text).replace("\n", "")) < len(tidy_spacing(turn.text).replace("\n", ""))
        lines = list(read_lines(rest))
        prepared = [preparing.prepare_line(line) for line in lines]
        question = (
            answers.last_question(turns[at - 1].text) if at and turns[at - 1].role == "assistant" else ""
        )
        question = answers.with_names(question, self._referents.name_of)
        for name in answers.people_asked_of(question):
            self._referents.notice([Referent(name)])
        asked = answers.split_questions(question, len(prepared))
        for place, line in enumerate(prepared):
            if len(found) >= MOST_PROPOSITIONS:
                break
            if place % _PARSED_AT_ONCE == 0:
                self._parse_all(prepared[place : place + _PARSED_AT_ONCE])
            is_handing_over = statements.hands_over_material(line.text, "en")
            if is_handing_over and not had_code:
                break
            read = self._read_line(line, turn, at, asked[place] if place < len(asked) else "")
            read = [replace(proposition, context=line.whole[:600]) for proposition in read]
            gone = {text for proposition in read for text in proposition.supersedes}
            found = [proposition for proposition in found if proposition.text not in gone] + read
        return settle(distinct(found)[:MOST_PROPOSITIONS])

    def _parse_all(self, lines: Sequence[Line]) -> None:
        """Parses sentences and then their clauses, each in one go."""
        sentences = [line.text for line in lines if preparing.is_parsed(line.text)]
        self._parse(sentences)
        repaired = {
            text: fuller
            for text in sentences
            if text
            and (
                fuller := with_contracted_verb(self._parsed[text]) or with_shared_subjects(self._parsed[text])
            )
        }
        for text, doc in zip(repaired, parse_sentences(repaired.values()), strict=True):
            self._parsed[text] = doc
        self._parse(
            piece.text
            for line in lines
            if line.text in self._parsed
            for piece in split_document(self._parsed[line.text])
        )

    def _parse(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text and text not in self._parsed]
        if new:
            self._parsed.update(zip(new, parse_sentences(new), strict=True))

    def _doc(self, text: str) -> Doc:
        self._parse([text])
        return self._parsed[text]

    def _read_line(self, line: Line, turn: Turn, at: int, question: str) -> list[Proposition]:
        text = line.text
        if question and (answered := self._answer(question, line, turn, at)) is not None:
            return answered
        if not text or is_courtesy(text):
            return []
        if is_foreign(text) or not preparing.is_parsed(text):
            return self._quote(text, turn, at)
        if quotes_sentences(line.whole):  # somebody else's words are not about the user
            return self._quote(line.whole, turn, at)[:1]
        if line.heading:
            return self._item(line, turn, at)
        is_aside = self._was_ironic and is_praise(line.whole)
        self._was_ironic = is_ironic(line.whole) or is_overstated(line.whole) or is_aside
        if self._was_ironic:
            return self._quote(without_openers(line.whole), turn, at, Mood.IRONY)
        if (corrected := self._correct(line, turn, at)) is not None:
            return corrected
        if reminder := find_reminder(expand_contractions(line.whole), "en"):
            return [self._of_claim(claim, Mood.PLAN, turn, at) for claim in reminder]
        return self._statements(text, turn, at)

    def _statements(self, text: str, turn: Turn, at: int) -> list[Proposition]:
        """The propositions of a sentence that corrects nothing."""
        bare = expand_contractions(text)
        is_over = bool(_NO_MORE.search(bare))
        if (
            not is_over
            and (contrast := find_contrast(bare))
            and preparing.tells(contrast.statement)
            and contrast.statement not in bare
        ):
            stated = self._state(contrast.statement, turn, at)
            return [replace(proposition, corrects=(contrast.wrong,)) for proposition in stated]
        if note := find_note(bare, "en"):
            found = [self._of_claim(claim, Mood.PLAN, turn, at) for claim in note.claims]
            return found + (
                self._statements(with_full_verbs(note.statement), turn, at) if note.statement else []
            )
        if being := preparing.AS_SOMEBODY.match(text):
            stated = self._state(f"I am {being['what']}", turn, at)
            return [*stated, *self._statements(being["rest"], turn, at)]
        is_one_order, (ordered, why) = not text.rstrip().endswith("?"), orders.without_reason(bare)
        if is_one_order and why and (order := orders.standing_order(ordered)):
            self._referents.notice(read_statement(self._doc(ordered), self._referents).named)
            found = [self._of_claim(claim, Mood.ORDER, turn, at) for claim in order]
            return found + self._statements(with_full_verbs(why), turn, at)
        joined = orders.orders_in_request(bare)
        if (
            is_one_order
            and not joined
            and (order := orders.listed_orders(bare) or orders.standing_order(bare))
        ):
            return [self._of_claim(claim, Mood.ORDER, turn, at) for claim in order]
        if reminder := find_reminder(bare, "en"):
            return [self._of_claim(claim, Mood.PLAN, turn, at) for claim in reminder]
        found = [self._of_claim(claim, Mood.ORDER, turn, at) for claim in joined]
        pieces = split_document(self._doc(text))
        if statements.is_about_made_up_text(bare):
            facts = [] if statements.is_fiction(bare) else presupposed.facts_around_text(pieces, self._doc)
            return found + self._facts(facts, turn, at)
        is_asked = text.rstrip().endswith("?") or statements.is_question(bare, "en")
        for place, piece in enumerate(pieces):
            is_last = place == len(pieces) - 1
            is_question = is_asked and (is_last or not preparing.tells(piece.text))
            whole = piece.whole if len(pieces) == 1 else ""
            beside = [other.text for other in pieces]
            read = self._piece(piece.text, turn, at, beside, whole, is_asked=is_question)
            # Words that nobody said in this order are no quotation; what nothing else says is quoted below.
            is_quotable = len(pieces) == 1 or not is_patchwork(piece.text, text)
            found += [proposition for proposition in read if is_quotable or not proposition.is_quote]
        if is_asked or statements.is_request(bare, "en") or orders.is_command(self._doc(text)):
            return found
        for clause in left_out(text, [proposition.text for proposition in found]):
            found += self._quote(clause, turn, at)
        return found

    def _facts(self, facts: Sequence[str], turn: Turn, at: int) -> list[Proposition]:
        return [one for fact in facts for one in self._piece(fact, turn, at, is_asked=False)]

    def _piece(
        self,
        piece: str,
        turn: Turn,
        at: int,
        beside: Sequence[str] = (),
        whole: str = "",
        *,
        is_asked: bool,
    ) -> list[Proposition]:
        if kept := presupposed.fact_to_keep(piece):
            return self._piece(kept, turn, at, is_asked=False)
        bare = expand_contractions(piece)
        doc = self._doc(piece)
        is_asked = is_asked or statements.is_question(bare, "en") or statements.is_request(bare, "en")
        if is_asked or orders.is_command(doc):
            if order := orders.standing_order(bare):
                return [self._of_claim(claim, Mood.ORDER, turn, at) for claim in order]
            self._referents.notice(read_statement(doc, self._referents).named)
            return self._facts(presupposed.presupposed_facts(doc), turn, at)
        if order := orders.standing_order(bare):
            return [self._of_claim(claim, Mood.ORDER, turn, at) for claim in order]
        if statements.is_hypothetical(bare, "en") and re.match(
            r"(?:suppose|imagine|pretend|what if|let's say|say)\b", bare, re.IGNORECASE
        ):
            return []
        return self._state(piece, turn, at, beside, whole)

    def _state(
        self, piece: str, turn: Turn, at: int, beside: Sequence[str] = (), whole: str = ""
    ) -> list[Proposition]:
        """One clause as a proposition, or as more where it names several tastes or states.

        `beside` are all clauses of its sentence, `whole` is the sentence where the clause is all of it.
        """
        if is_courtesy(piece):
            return []
        piece = preparing.NOW.sub("", piece)
        if fuller := with_contracted_verb(self._doc(piece)):
            piece = fuller
        statement = read_statement(self._doc(piece), self._referents)
        if statement.lacks_subject and (fuller := with_subject(piece)) != piece:
            return self._state(fuller, turn, at)
        is_unreal = bool(_UNREAL.match(piece))
        if not is_unreal:
            self._referents.last_things = statement.things or self._referents.last_things
        if not statement.is_certain:
            self._referents.notice(statement.named)
            if tasted := plain_taste(piece, beside):
                return [tasted]
            if preparing.says_nothing(piece) or not statement.has_substance:
                return []
            return self._quote(whole or piece, turn, at)
        original = piece
        if statement.replaced:
            piece = resolved_text(statement, statement.replaced)
            named = statement.named
            statement = read_statement(self._doc(piece), self._referents)
            statement = replace(
                statement, named=list({one.phrase: one for one in (*named, *statement.named)}.values())
            )
        elif preparing.says_nothing(piece) or says_only_that(statement.root):
            return []
        mood = mood_of(statement.root, piece)
        claims = claims_of(piece, mood, beside)
        if len(claims) > 1 and not names_things(statement.doc, [claim.thing for claim in claims]):
            claims = find_taste(expand_contractions(piece))
        found = [self._of_claim(claim, mood, turn, at, statement) for claim in claims]
        found = found or [self._of_statement(statement, mood, turn)]
        if any(proposition.is_quote for proposition in found):
            return self._quote(original, turn, at)
        self._referents.notice([one for one in statement.named if not (is_unreal and one.gender == "thing")])
        liked = [claim.thing for claim in claims if claim.thing and not claim.thing.endswith("s")]
        self._referents.notice([Referent(thing, "thing") for thing in liked[:1] if not is_unreal])
        return self._remember(piece, found, at)

    def _of_statement(self, statement: Statement, mood: Mood, turn: Turn) -> Proposition:
        written = write_statement(statement, turn.said_at, mood)
        return Proposition(
            text=written.text,
            language="en",
            mood=mood,
            subject=statement.subject,
            is_quote=not written.is_clean,
            event_time=written.at,
        )

    def _of_claim(
        self, claim: Claim, mood: Mood, turn: Turn, at: int, statement: Statement | None = None
    ) -> Proposition:
        said = claim.said
        own = statement if statement is not None and expand_contractions(statement.doc.text) == said else None
        read = own or read_statement(self._doc(said), self._referents)
        written = write_statement(read, turn.said_at, mood, claim.ending, claim.dating)
        return Proposition(
            text=written.text,
            language="en",
            mood=mood,
            is_quote=not written.is_clean,
            is_preference=claim.is_preference,
            reasoning=claim.reasoning,
            slot=claim.slot,
            value=claim.thing,
            title=claim.title,
            event_time=written.at,
        )

    def _item(self, line: Line, turn: Turn, at: int) -> list[Proposition]:
        """An item of a list, said together with the heading that it stands under."""
        if preparing.tells(line.text):
            return self._statements(line.text, turn, at)
        if re.match(r"(?:I|we)\b|.*\b(?:I|we)\b.*\bto$", line.heading, re.IGNORECASE):
            return self._statements(f"{line.heading} {line.text[0].lower()}{line.text[1:]}", turn, at)
        if statements.is_request(line.heading, "en"):
            return []
        text = write_item(line.heading, line.text)
        if not text or len(text.split()) > MOST_WORDS:
            return self._quote(f"{line.heading}: {line.text}", turn, at)
        return [Proposition(text=text, language="en")]

    def _answer(self, question: str, line: Line, turn: Turn, at: int) -> list[Proposition] | None:
        """The answer together with its question; None where it is a statement of its own."""
        raw = line.whole.strip()
        is_sentence, has_subject = preparing.tells(line.text), preparing.tells(raw)
        if answers.stands_alone(question, raw, has_subject, is_sentence) or not raw or raw.endswith("?"):
            return None
        given = answers.without_capital(question, raw, self._doc(raw))
        if said := answers.full_answer(question, given):
            stated = self._state(with_full_verbs(said), turn, at)
            if stated and not any(proposition.is_quote for proposition in stated):
                return stated
        if is_courtesy(raw) or orders.is_command(self._doc(line.text)):
            return None
        words = f'asked "{question}": "{raw.rstrip(".")}"'
        if len(words.split()) > 40:
            return None
        (quoted, *_) = quote_words(raw, turn.said_at, "en")
        head, _, tail = quoted.partition(': "')
        text = f'{head}, asked "{question}": "{tail}'
        self._remember(raw, [], at)
        return [Proposition(text=text, language="en", is_quote=True)]

    def _correct(self, line: Line, turn: Turn, at: int) -> list[Proposition] | None:
        """What a correction restates; None where the sentence corrects nothing."""
        is_going_on = self._is_correcting and corrections.goes_on(line.whole)
        self._is_correcting = corrections.has_cue(line.whole)
        if not (self._is_correcting or is_going_on) or not self._said:
            return None
        correction = corrections.find_correction(line.whole, goes_on=is_going_on)
        if correction is not None:
            target = corrections.find_target([said.source for said in self._said], correction)
            if target is None:
                return None
            place, source, wrong = target
            old = self._said[place]
            stated = self._state(source, turn, at)
            return [corrections.correct(proposition, old, wrong) for proposition in stated]
        if corrections.names_the_past(line.whole):
            return []
        return self._corrected_clause(line, turn, at)

    def _corrected_clause(self, line: Line, turn: Turn, at: int) -> list[Proposition] | None:
        """A whole clause after words of correction takes the place of the last one that differs in a value only."""
        rest = corrections.without_cue(line.whole)
        if rest == line.whole.strip() or not preparing.tells(rest):
            return None
        known = list(self._said)
        stated = self._statements(with_full_verbs(without_openers(rest)), turn, at)
        return [corrections.in_the_place_of_one(proposition, known) for proposition in stated]

    def _quote(self, words: str, turn: Turn, at: int, mood: Mood = Mood.FACT) -> list[Proposition]:
        found = quote(words, turn.said_at, self._referents, mood)[:MOST_PROPOSITIONS]
        return self._remember(words, found, at)

    def _remember(self, source: str, found: list[Proposition], at: int) -> list[Proposition]:
        self._said = [*self._said, corrections.Said(source, tuple(found), at)][-_REMEMBERED:]
        return found
