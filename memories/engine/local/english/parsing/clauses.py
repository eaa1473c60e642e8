"""Splits a parsed sentence into clauses that each say one thing, with their subject put back where it was shared."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import (
    find_auxiliaries,
    find_conjuncts,
    find_own_tokens,
    find_shared_subject,
    find_subject,
    is_bare_end,
    is_finite,
    is_infinitive,
    is_maybe_noun,
    is_negated,
    is_person,
    is_verbal,
    iterate_joined_verbs,
)
from memories.engine.local.english.parsing.lexicon import KINSHIP, PETS
from memories.engine.local.english.parsing.shared_subjects import (
    are_languages,
    completes_participle,
    find_strays,
    is_order_beside,
    is_own_action,
    may_share_subject,
    part_at_order,
    with_orders,
)
from memories.text.clauses.sentences import split_clauses
from memories.text.clauses.statements import is_request
from memories.text.en.verbs import PAST
from memories.text.quotes.quoting import with_whole_quotation

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

# Verbs whose clause is said or thought by their subject, and so belongs to them.
_CONTRASTING = frozenset({"though", "although", "whereas"})
_RELATIVES = frozenset({"who", "which"})
_SHORT = {"'d": "would", "'s": "is", "'ll": "will", "'ve": "have", "'re": "are"}
_HAVING = frozenset({"have", "has", "had", "got"})
_NAMING = frozenset({"called", "named"})


_TRAILING_JOINT = re.compile(r",? (?:and|or|but|so)(?=$| (?:when|while|if|because|since)\b)", re.IGNORECASE)
_LEADING_JOINT = re.compile(r"^(?:(?:and|but|so|or|yet|plus|then)\b,?\s+(?!that\b|far\b))+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class SpokenClause:
    """One clause in the speaker's own words. `whole` is the sentence it was taken from."""

    text: str
    whole: str


# "…, been at it nineteen years": with the subject of the clause before it, it needs its auxiliary.
_BEEN = re.compile(r"^(I|we) been\b", re.IGNORECASE)


def split_document(doc: Doc) -> list[SpokenClause]:
    """The clauses of one sentence of the user."""
    return [
        SpokenClause(_BEEN.sub(r"\1 have been", part), doc.text)
        for sentence in doc.sents
        for text in _split_sentence(sentence)
        for part in _split_again(text)
    ]


_NEXT_SUBJECT = re.compile(r", (?:and |but |so )?(?:I|we|my|our)\b")
_FIRST = re.compile(r"(?:I|we|my|our)\b", re.IGNORECASE)


def _split_again(text: str) -> list[str]:
    """Where the parser saw one clause in a run of them, the commas before "I" tell."""
    parts = split_clauses(text, "en") if _NEXT_SUBJECT.search(text) else [text]
    own = parts[1:] if is_request(parts[0], "en") else parts
    return parts if all(_FIRST.match(part) for part in own) else [text]


def _split_sentence(sentence: Span) -> list[str]:
    root = sentence.root
    if not is_verbal(root):
        return [sentence.text.strip()]
    if parted := part_at_order(root):
        return parted
    extracted: set[int] = set()
    asides: list[str] = []
    for token in sentence:
        if aside := _read_relative_clause(token):
            words, text = aside
            extracted |= words
            asides.append(text)
    pieces = []
    independent = _find_independent_verbs(root)
    for verb in independent:
        tokens = _select_clause_tokens(verb, independent, extracted)
        pieces += [_join_words(sentence.doc, variant) for variant in _build_variants(verb, tokens)]
    if len(pieces) > 1 and any(" " not in piece for piece in pieces):  # a verb whose subject went elsewhere
        return [sentence.text.strip()]
    pieces = with_orders(pieces, sentence.text)
    return [piece for text in [*pieces, *asides] if (piece := _LEADING_JOINT.sub("", text))]


def _find_independent_verbs(root: Token) -> list[Token]:
    """The verbs that carry a clause of their own, in the order of speech."""
    verbs = {root.i: root}
    waiting = [root]
    while waiting:
        verb = waiting.pop()
        beside = [
            child
            for child in verb.children
            if _is_run_on(child, verb) or _is_contrast(child) or _is_consequence(child)
        ]
        for other in [*_find_independent_conjuncts(verb), *beside]:
            if other.i not in verbs:
                verbs[other.i] = other
                waiting.append(other)
    return [verbs[at] for at in sorted(verbs)]


def _find_independent_conjuncts(verb: Token) -> list[Token]:
    return [
        other
        for other in iterate_joined_verbs(verb)
        if (
            find_subject(other) is not None
            or find_shared_subject(other) is not None
            or _is_command(verb)
            or not is_verbal(other.head)
        )
        and (is_finite(other) or find_auxiliaries(verb))
        and not is_infinitive(other)
        and may_share_subject(other)
        and not is_maybe_noun(other)
        and not is_bare_end(other)
        and not completes_participle(verb, other)
    ]


def _is_command(verb: Token) -> bool:
    return verb.tag_ == "VB" and find_subject(verb) is None


def _is_run_on(child: Token, root: Token) -> bool:
    """Two sentences with a comma between them: the parser takes the first for what the second one says."""
    if not is_verbal(child) or not is_finite(child):
        return False
    if (
        child.dep_ == "advcl"
        and _is_command(child)
        and not any(word.dep_ == "mark" for word in child.children)
    ):
        return child.i < root.i and find_subject(root) is not None and _has_comma_between(child, root)
    if child.dep_ not in ("ccomp", "parataxis"):
        return False
    has_mark = any(word.dep_ == "mark" for word in child.children)
    if _is_command(root) and child.i > root.i:
        return find_subject(child) is not None and not has_mark and _has_comma_between(root, child)
    if _is_command(child) and child.i < root.i and find_subject(root) is not None:
        return child.dep_ in ("ccomp", "parataxis") and _has_comma_between(child, root)
    subject = find_subject(root)
    return (
        find_subject(child) is not None
        and not has_mark
        and (subject is None or child.i < subject.i)
        and _has_comma_between(child, root)
        and child.i < root.i
    )


def _has_comma_between(first: Token, last: Token) -> bool:
    return any(token.text in (",", ";", "-", "–", "—", ":") for token in first.doc[first.i : last.i])


def _is_contrast(child: Token) -> bool:
    return (
        child.dep_ == "advcl"
        and is_finite(child)
        and find_subject(child) is not None
        and any(word.dep_ == "mark" and word.lower_ in _CONTRASTING for word in child.children)
    )


def _is_consequence(child: Token) -> bool:
    """As in "I have epilepsy, so I can't drive"."""
    return (
        child.dep_ in ("advcl", "ccomp", "parataxis")
        and is_finite(child)
        and find_subject(child) is not None
        and any(
            word.lower_ == "so" and word.dep_ in ("mark", "advmod", "cc") and word.i < child.i
            for word in child.children
        )
        and child.doc[child.left_edge.i - (child.left_edge.i > 0)].text
        in (",", ";", "-", child.left_edge.text)
    )


def _select_clause_tokens(verb: Token, independent: list[Token], extracted: set[int]) -> set[int]:
    others = {other for other in independent if other.i != verb.i and verb.is_ancestor(other)}
    without = set(extracted)
    for other in others:
        without |= {token.i for token in other.subtree}
        without |= _find_joints_before(other)
        if taken := _find_subject_taken_for_object(other):
            without |= {token.i for token in taken.subtree} | _find_joints_before(taken)
        without |= find_strays(other)
    tokens = find_own_tokens(verb, without) | find_strays(verb)
    tokens -= {child.i for child in verb.children if child.dep_ in ("cc", "preconj") and child.i < verb.i}
    tokens -= {child.i for child in verb.children if child.dep_ == "mark" and child.lower_ in _CONTRASTING}
    # "and" behind this clause joins the next one.
    tokens -= {
        child.i for child in verb.children if child.dep_ == "cc" and others and child.i + 1 not in tokens
    }
    if find_subject(verb) is None:
        tokens |= _find_shared_words(verb)
    return tokens


def _find_joints_before(verb: Token) -> set[int]:
    head = verb.head
    return {
        child.i
        for child in head.children
        if child.dep_ in ("cc", "punct") and head.i < child.i < verb.i and child.i >= verb.left_edge.i - 2
    }


def _find_shared_words(verb: Token) -> set[int]:
    """Subject and auxiliaries of the verb that this one is joined to."""
    first = verb
    while find_subject(first) is None and first.head.i != first.i:
        first = first.head
    subject = find_subject(first)
    if subject is None or is_order_beside(verb, first):
        return set()
    if taken := _find_subject_taken_for_object(verb):
        return {token.i for token in taken.subtree}
    shared = {token.i for token in subject.subtree}
    is_alike = verb.tag_ in ("VB", "VBG", "VBN") and verb.tag_ == first.tag_
    if not find_auxiliaries(verb) and is_alike and not is_own_action(verb, first, subject):
        shared |= {token.i for token in find_auxiliaries(first)}
        joins_denial = any(child.lower_ in ("or", "nor") for child in first.children if child.dep_ == "cc")
        if is_negated(first) and joins_denial:
            shared |= {child.i for child in first.children if child.dep_ == "neg"}
    # "On Fridays I cook and clean": what stands before the subject holds for both.
    for child in first.children:
        if child.dep_ in ("prep", "npadvmod") and child.i < subject.left_edge.i:
            shared |= {token.i for token in child.subtree}
    return shared


def _find_subject_taken_for_object(verb: Token) -> Token | None:
    """In "Tom drives a bus and our daughter just started school" the parser joins bus and daughter."""
    before = verb.left_edge.i - 1
    if before < 0 or any(child.dep_ == "cc" and child.i < verb.i for child in verb.children):
        return None
    noun = verb.doc[before]
    while (
        noun.dep_ != "conj"
        and noun.head.i != noun.i
        and noun.head.right_edge.i <= before
        and noun.head.i < verb.i
        and noun.head.pos_ in ("NOUN", "PROPN")
    ):
        noun = noun.head
    is_joined = noun.dep_ == "conj" and noun.pos_ in ("NOUN", "PROPN") and noun.head.pos_ in ("NOUN", "PROPN")
    return noun if is_joined and noun.right_edge.i == before else None


def _build_variants(verb: Token, tokens: set[int]) -> list[set[int]]:
    """One set of words for each thing said: "I am 44, Welsh and a teacher" says three."""
    for child in verb.children:
        members = (
            [member for member in find_conjuncts(child) if member.i in tokens] if child.i in tokens else []
        )
        if any(is_bare_end(member) for member in members[1:]):
            return [tokens]
        if len(members) > 1 and _says_one_each(child, members, verb):
            return [_with_one(tokens, members, at, verb) for at in range(len(members))]
    return [tokens]


def _says_one_each(child: Token, members: list[Token], verb: Token) -> bool:
    if any(find_subject(member) is not None for member in members[1:]) or are_languages(members):
        return False
    if child.dep_ == "xcomp":
        return all(is_verbal(member) for member in members) and is_infinitive(child)
    if child.dep_ not in ("attr", "acomp") or any(
        token.lower_ in ("or", "nor", "but") for token in child.subtree if token.dep_ == "cc"
    ):
        return False
    kinds = {member.pos_ for member in members}
    subject = find_shared_subject(verb)
    return (
        kinds != {"ADJ"}
        and "PROPN" not in kinds
        and subject is not None
        and not (kinds == {"NUM"} and subject.tag_ == "NNS")  # "my kids are 4 and 7": one each
        and (subject.lower_ in ("i", "he", "she") or is_person(subject))
        and len(find_conjuncts(subject)) == 1
    )


def _with_one(tokens: set[int], members: list[Token], at: int, verb: Token) -> set[int]:
    first = members[0]
    every = {token.i for token in first.subtree}
    mine = {token.i for token in members[at].subtree}
    if at + 1 < len(members):
        mine -= {token.i for token in members[at + 1].subtree}
    mine -= {child.i for child in members[at].children if child.dep_ in ("cc", "punct")}
    subject = find_shared_subject(verb)
    if at and subject is not None and _ends_what_was(members[at], verb):
        return {token.i for token in subject.subtree} | mine
    if first.dep_ == "xcomp":
        mine |= {child.i for child in first.children if child.dep_ == "aux"}
    return (tokens - every) | (mine & tokens)


def _ends_what_was(member: Token, verb: Token) -> bool:
    """In "I used to smoke but quit" the second verb is a past of its own, which the parser took for an infinitive."""
    joint = max((token.i for token in member.doc[verb.i : member.i] if token.dep_ == "cc"), default=-1)
    is_but = joint > 0 and member.doc[joint].lower_ == "but"
    return verb.lower_ == "used" and is_but and member.lower_ in PAST


def _read_relative_clause(noun: Token) -> tuple[set[int], str] | None:
    """Return what a relative clause says of a person, as a clause of its own, and where it stood."""
    if noun.pos_ not in ("NOUN", "PROPN") or not is_person(noun):
        return None
    clause = next((child for child in noun.children if child.dep_ == "relcl"), None)
    if clause is None or not is_finite(clause):
        return None
    subject = find_subject(clause)
    if subject is None or subject.lower_ not in _RELATIVES:
        return None
    if subject.lower_ == "which" and noun.lower_ in KINSHIP - PETS:  # "went to my cousin, which hurt"
        return None
    if any(
        token.dep_ == "relcl"
        and token.i != clause.i
        and (clause.is_ancestor(token) or token.is_ancestor(clause))
        for token in noun.doc
    ):
        return None  # "Dermot, who's a plumber, and Conor, who moved": the parser puts one inside the other
    words = {token.i for token in clause.subtree}
    phrase = _write_called_person(noun, words)
    if not phrase:
        return None
    inside = words - {subject.i}
    verb = clause.doc[subject.i + 1] if subject.i + 1 < len(clause.doc) else subject
    if verb.text in _SHORT:  # "who'd got out" is "had got out"
        inside.discard(verb.i)
        full = "had" if verb.text[1:] == "d" and clause.tag_ == "VBN" else _SHORT[verb.text]
        phrase = f"{phrase} {full}"
    words |= {at for at in (clause.left_edge.i - 1, clause.right_edge.i + 1) if _is_comma(noun.doc, at)}
    return words, f"{phrase} {_join_words(noun.doc, inside)}"


def _is_comma(doc: Doc, at: int) -> bool:
    return 0 <= at < len(doc) and doc[at].text == ","


def _write_called_person(noun: Token, without: set[int]) -> str:
    """A person as the subject of a new clause: "my eldest, Ruben," or, of "we have twin boys", "my twin boys"."""
    owned = any(child.dep_ == "poss" for child in noun.children)
    others = {word.i for child in noun.children if child.dep_ in ("conj", "cc") for word in child.subtree}
    without = without | others
    if owned or noun.pos_ == "PROPN":
        words = {token.i for token in noun.subtree if token.i not in without and token.text != ","}
        return _join_words(noun.doc, words)
    is_own = noun.dep_ == "dobj" and noun.head.lower_ in _HAVING and noun.lower_ in KINSHIP
    if not is_own:
        return ""
    words = {
        token.i
        for token in noun.subtree
        if token.i not in without
        and token.text != ","
        and token.dep_ not in ("det", "nummod")
        and token.lower_ not in _NAMING
    }
    return f"my {_join_words(noun.doc, words)}"


def _join_words(doc: Doc, words: set[int]) -> str:
    """The words in the order of speech, without marks at the ends."""
    parts = []
    for at in sorted(words):
        token = doc[at]
        parts.append(token.text + (token.whitespace_ or ("" if at + 1 in words else " ")))
    whole = " ".join("".join(parts).split())
    return with_whole_quotation(_TRAILING_JOINT.sub("", whole.strip(" ,;:-–—.!?\"'")), whole)
