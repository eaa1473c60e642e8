"""One clause, understood: who does what, whom its pronouns mean, and how it reads in the third person."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memories.engine.local.english.moods import detect_tense
from memories.engine.local.english.parsing.doubts import (
    is_bare_quantity,
    is_beside_he_or_she,
    is_doubtful,
    is_said_of_others,
)
from memories.engine.local.english.parsing.grammar import (
    FIRST_PERSON,
    find_auxiliaries,
    find_conjuncts,
    find_main_verb,
    find_subject,
    is_finite,
    is_person,
    is_verbal,
)
from memories.engine.local.english.parsing.naming import (
    find_named_in_clause,
    find_others_of_others,
    find_thing_meant,
    find_things_in_clause,
    list_named,
    read_noun_phrase,
)
from memories.engine.local.english.parsing.reports import find_report, names_cause
from memories.engine.local.english.parsing.rewriting.openers import with_full_verbs
from memories.engine.local.english.parsing.rewriting.whereabouts import leaves_place_open, say_places
from memories.engine.local.english.people import SUBJECT_FORMS, Referent, Referents, find_gender
from memories.engine.local.english.writing.wording import write_third_person
from memories.engine.local.propositions import Mood
from memories.text.en.third_person import as_sentence
from memories.text.en.verbs import BASE
from memories.text.quotes.quoting import MOST_WORDS
from memories.text.time import english, words_english
from memories.text.time.dates import MONTHS, Tense
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_POSSESSIVES = frozenset({"his", "her", "its", "their"})
_UNCLEAR = frozenset(
    {"this", "that", "these", "those", "one", "such", "same", "so", "here", "others", "mine", "ours"}
)
_FIRST_LEFT = re.compile(r"\b(?:I|I'\w+|my|mine|myself|we|we'\w+|our|ours|ourselves|me|us)\b(?<!US)")
# The parser was led astray where the verb does not agree: rather a quotation than broken grammar.
_DISAGREES = re.compile(
    rf"(?:^|[.,;] |\b(?:and|but|because|when|if|while|since \w+|that) )the user (?:(?:also|still|always"
    rf"|never|often|usually|really|just|now|ever) )?(?:am|have|do|are|were"
    rf"|{'|'.join(sorted(BASE))})\b(?! (?:is|was)\b)",
    re.IGNORECASE,
)
# What no animal does.
_SPEAKING = frozenset(
    "say tell ask call ring write work study teach explain promise mention phone text email think".split()
)
# A question that stands inside a statement.
# The name of a band or a firm is not the user's.
_OUR_NAME = re.compile(r"we(?:'re| are| got|'ve been| have been) (?:called|named|known as)\b", re.IGNORECASE)
_INVERTED = re.compile(r"\b(?:do|does|did|am|can|should|shall) the user\b(?!')", re.IGNORECASE)
# "Cereal boxes included": part of the clause before it.
_ABSOLUTE = frozenset("included excluded permitting considered notwithstanding".split())
# "We see each other at tea": with whom, the clause does not tell.
_ONE_ANOTHER = re.compile(r"The user (?!and\b)[^,;]*\b(?:each other|one another)\b")
# "The user used to.", "Since the user was seven.", "Thirty of the user": what was said before is left out.
_UNFINISHED = re.compile(
    r"""
    ^(?:The\ user(?:'s\ [\w-]+)?|[A-Z][a-z]+)\ (?:
        is | was | are | were | do | does | did | has | have | had | will | would | can | could | may | might | used\ to
    )(?:\ not)?\.?$
    | ^(?:Since|Until|Till)\ the\ user\ (?:was|is|were|turned)\ [\w-]+\.?$
    | .*\b(?:
          all | both | most | some | none | two | three | four | five | six | seven | eight | nine | ten
          | \w{2,5}teen | \w{3,5}ty | \d+
      )\ of\ the\ user\b(?!')
    """,
    re.VERBOSE,
)
_QUOTATION = re.compile(r'"[^"]*"|“[^”]*”')
_DANGLING = re.compile(
    rf"""
    ^(?:
        {_WORDS["beginnings"]}
        | this(?!\ (?:{_WORDS["times"]})\b)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A quotation whose end was cut off with the end of the sentence; "a '68 Mustang" has a year.
_OPEN_QUOTE = re.compile(r"(?<=\s)'(?!\d\ds?\b)\w[^']*(?:'\w[^']*)*$")
_LONGEST_CLEAN_WORDS = MOST_WORDS + 6


@dataclass(frozen=True, slots=True)
class Statement:
    """A parsed clause. `named` are those whom later clauses may mean; `replaced` what stands for its pronouns.

    They are in the speaker's words. `subject` is the person it is about, "" for the user. Without `is_certain` it must
    not be reworded.
    """

    doc: Doc
    root: Token
    subject: str = ""
    is_certain: bool = True
    lacks_subject: bool = False
    has_substance: bool = True
    named: list[Referent] = field(default_factory=list)
    replaced: dict[int, str] = field(default_factory=dict)
    things: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WrittenSentence:
    """A finished sentence and the time that it speaks of; without `is_clean` it cannot stand alone."""

    text: str
    at: datetime | None
    is_clean: bool


def read_statement(doc: Doc, referents: Referents) -> Statement:
    """Return what a clause says, with its pronouns resolved against what the talk has named."""
    root = find_main_verb(next(iter(doc.sents)).root)
    substance = _has_substance(doc)
    subject = find_subject(root)
    if not is_verbal(root) or not is_finite(root) or subject is None:
        return Statement(
            doc,
            root,
            "",
            False,
            lacks_subject=subject is None,
            has_substance=substance,
            named=find_named_in_clause(doc, root) if is_verbal(root) else [],
        )
    replaced = say_places(doc, referents.place)
    used: list[Referent] = []
    replaced_phrases: set[str] = set()
    is_certain = len(list(doc.sents)) == 1 and not _addresses_assistant(doc)
    is_certain = is_certain and not _OUR_NAME.match(doc.text)
    is_certain = is_certain and root.lower_ not in _ABSOLUTE and not is_doubtful(doc, root)
    is_certain = is_certain and not leaves_place_open(doc, referents)
    _leave_somebody_open(doc, subject, referents)
    for token in doc:
        if token.lower_ not in SUBJECT_FORMS or _is_expletive(token) or _is_bound(token, subject):
            continue
        referent = referents.find(SUBJECT_FORMS[token.lower_])
        if referent and referent.gender == "pet" and is_beside_he_or_she(token):
            used.append(referent)
            is_certain = False
            continue
        if token.lower_ in ("it", "its"):
            # "It's the alternator" tells something, few words though these are.
            substance = substance or names_cause(token, root, referent, referents)
            referent = None if _is_action(token) else find_thing_meant(token, root, referent, referents)
        if referent is None:
            referents.leave_open(SUBJECT_FORMS[token.lower_])
            is_certain = False
            continue
        if referent.gender == "pet" and token.i == subject.i and root.lower_ in _SPEAKING:
            is_certain = False
            continue
        if referent.phrase in replaced_phrases:
            continue
        replaced_phrases.add(referent.phrase)
        referents.settle(referent, SUBJECT_FORMS[token.lower_])
        used.append(referent)
        replaced[token.i] = f"{referent.phrase}'s" if _is_possessive(token) else referent.phrase
    for pronoun in find_others_of_others(doc):  # "one of them brings her boyfriend": he is the next "he"
        referents.leave_open(pronoun)
    is_certain = is_certain and not is_said_of_others(subject, root)
    is_certain = is_certain and not _is_unclear(subject, root, replaced)
    who = ""
    if subject.lower_ not in FIRST_PERSON and (is_person(subject) or subject.i in replaced):
        who = rewrite_phrase_in_third_person(replaced.get(subject.i) or read_noun_phrase(subject))
    referents.reports |= find_report(root)
    named, things = list_named(doc, subject, used), find_things_in_clause(doc)
    return Statement(doc, root, who, is_certain, False, substance, named, replaced, things)


def _leave_somebody_open(doc: Doc, subject: Token, referents: Referents) -> None:
    """ "I've been seeing someone. His name is Phil": he is nobody whom the talk named before."""
    if any(token.lower_ in ("someone", "somebody") and token.i != subject.i for token in doc):
        referents.leave_open("he")
        referents.leave_open("she")


def _is_unclear(subject: Token, root: Token, replaced: Mapping[int, str]) -> bool:
    """Return whether nobody can tell whom the clause is about."""
    is_open = subject.lower_ in SUBJECT_FORMS and subject.i not in replaced and not _is_expletive(subject)
    return subject.lower_ in _UNCLEAR or is_open or _is_group(subject, root) or is_bare_quantity(subject)


_FORMS_OF_BE = frozenset({"are", "were", "be", "been", "'re", "’re"})


def _is_group(subject: Token, root: Token) -> bool:
    """Return whether "we" are many or one thing of many people, as the user alone is not: "We're nurses", "a family of
    five"."""
    what = next((child for child in root.children if child.dep_ == "attr"), None)
    if subject.lower_ != "we" or root.lower_ not in _FORMS_OF_BE or what is None:
        return False
    return what.tag_ == "NNS" or (
        what.tag_ == "NN" and any(child.lower_ in ("a", "an") for child in what.children)
    )


def resolve_pronouns(statement: Statement, referents: Mapping[int, str]) -> str:
    """The clause in the speaker's words, with names in the place of the pronouns at these positions."""
    parts = []
    for token in statement.doc:
        word = referents.get(token.i)
        if token.i - 1 in referents and token.text[0] in "'’":
            word = " " + {
                "'s": "has" if _is_perfect(token) else "is",
                "'ll": "will",
                "'re": "are",
                "'ve": "have",
                "'d": "would",
            }.get(token.lower_, token.text)
        parts.append((word or token.text) + token.whitespace_)
    return with_full_verbs("".join(parts))


def _is_perfect(auxiliary: Token) -> bool:
    """Return whether "'s" stands for "has": "he's moved", but not "he's being moved"."""
    behind = auxiliary.doc[auxiliary.i + 1 : auxiliary.i + 2].text.lower()
    return auxiliary.head.tag_ == "VBN" and auxiliary.dep_ == "aux" and behind != "being"


def rewrite_phrase_in_third_person(phrase: str) -> str:
    """ "my brother Callum" as others call him."""
    return re.sub(r"\b(?:my|our)\b", "the user's", phrase, flags=re.IGNORECASE)


def write_statement(
    statement: Statement, said_at: datetime, mood: Mood, ending: str = "", dating: str = ""
) -> WrittenSentence:
    """The statement as a sentence about the user, its dates resolved.

    `ending` is put behind it; `dating` says how to add the day of speaking where it names no time.
    """
    text = write_third_person(statement.doc)
    text = re.sub(
        r"^(?:the user's) (.{2,40}?) and the user\b(?!')", r"the user and their \1", text, flags=re.IGNORECASE
    )
    text = " ".join(text.split()).rstrip(" .!,;:")
    dated = english.date_english(text, said_at, tense=_detect_tense(statement, mood))
    text = dated.text
    if dating and dated.at is None:
        text += dating.format(words_english.format_day(said_at))
    text = as_sentence(text + ending)
    return WrittenSentence(text, dated.at, statement.is_certain and _is_clean(text))


def _detect_tense(statement: Statement, mood: Mood) -> Tense | None:
    verbs = [
        token
        for token in statement.doc
        if is_verbal(token) and token.dep_ in ("ROOT", "ccomp", "advcl", "relcl", "conj")
    ]
    if mood in (Mood.PLAN, Mood.WISH):
        return Tense.FUTURE if len(verbs) == 1 else None
    tenses = {Tense.FUTURE if _is_scheduled(verb) else detect_tense(verb) for verb in verbs}
    if len(verbs) == 1:
        return Tense.FUTURE if _is_scheduled(statement.root) else detect_tense(statement.root)
    return (
        Tense.FUTURE if verbs and tenses <= {Tense.PRESENT, Tense.FUTURE} and Tense.FUTURE in tenses else None
    )


_SCHEDULED = frozenset("starts begins ends opens closes leaves arrives departs finishes runs".split())
# What is so or done at any time, of which a month names no one year.
_LASTING = frozenset(
    "know remember recall think believe mean show love like hate prefer feel live work look seem need want".split()
)


def _is_scheduled(root: Token) -> bool:
    """Return whether the present tells of a day to come: "The concert is on 12 April", "The course starts in May", "My
    visa expires in June"."""
    times = [child for child in root.children if child.dep_ == "prep" and child.lower_ in ("on", "in")]
    if times and (root.lower_ in _SCHEDULED or (root.lower_ in ("is", "are") and root.pos_ == "AUX")):
        return True
    times += [child for child in root.children if child.dep_ in ("attr", "npadvmod") and child.i > root.i]
    is_lasting = root.lower_ in _LASTING or root.lower_.removesuffix("s") in _LASTING
    is_present = root.tag_ in ("VBZ", "VBP") and not is_lasting and not find_auxiliaries(root)
    return is_present and any(token.text.capitalize() in MONTHS for time in times for token in time.subtree)


def _is_clean(text: str) -> bool:
    plain = _QUOTATION.sub('""', text)
    words = text.split()
    return (
        3 <= len(words) <= _LONGEST_CLEAN_WORDS
        and not _FIRST_LEFT.search(plain)
        and not _DANGLING.match(plain)
        and not _DISAGREES.search(plain)
        and not _INVERTED.search(plain)
        and not _ONE_ANOTHER.match(plain)
        and not _UNFINISHED.match(plain)
        and "?" not in plain
        and " ," not in plain
        and not _OPEN_QUOTE.search(plain)
        and not re.search(r"\byou(?:r|rs|rself)?\b", plain, re.IGNORECASE)
        and plain.count("(") == plain.count(")")
        and plain.count('"') % 2 == 0
    )


_TALKING = frozenset(
    """
        asked ask asks said say says told tell tells called calls rang replied answered wondered
        thinks thought reckons reckoned hopes hoped believes guesses
    """.split()
)


def says_only_that(root: Token) -> bool:
    """Return whether somebody speaks, but nothing tells what or to whom: "My son asked"."""
    return root.lower_ in _TALKING and not any(
        child.dep_
        in (
            "dobj",
            "ccomp",
            "xcomp",
            "prep",
            "dative",
            "advcl",
            "advmod",
            "npadvmod",
            "conj",
            "oprd",
            "attr",
            "acomp",
            "prt",
        )
        for child in root.children
    )


def _has_substance(doc: Doc) -> bool:
    words = [token for token in doc if token.is_alpha or token.like_num]
    content = [
        token
        for token in words
        if token.like_num or (token.pos_ in ("NOUN", "PROPN", "NUM", "VERB", "ADJ") and not token.is_stop)
    ]
    is_named = any(token.pos_ == "PROPN" and token.i > 0 for token in words)
    root = next(iter(doc.sents)).root
    subject = find_subject(root)
    is_of_group = subject is not None and _is_group(subject, root)
    is_counted = any(token.tag_ == "CD" and token.dep_ == "dobj" for token in words)
    return is_of_group or (len(words) >= 3 and (len(content) >= 2 or is_named or is_counted))


def _addresses_assistant(doc: Doc) -> bool:
    return any(token.lower_ in ("you", "your", "yours", "yourself") for token in doc)


def _is_possessive(token: Token) -> bool:
    is_owner = token.lower_ in _POSSESSIVES and (token.dep_ == "poss" or token.tag_ == "PRP$")
    return is_owner and not _is_given_name(token)


def _is_given_name(pronoun: Token) -> bool:
    """ "Called her Pumpkin": no Pumpkin of hers."""
    before, behind = pronoun.doc[: pronoun.i][-1:].text.lower(), pronoun.doc[pronoun.i + 1 : pronoun.i + 2]
    return before in {"called", "call", "named", "name", "christened"} and behind.text[:1].isupper()


_IMPERSONAL = re.compile(
    r"""
    \b(?:
        raining | snowing | cold | hot | sunny | late | dark | hard | difficult | easy | important | true
        | time | worth | possible | impossible | better | best | nice | good | takes? | took | turns?\ out
        | seems? | looks\ like | is\ [A-Z]\w+day | was\ [A-Z]\w+day
    )\b
    """,
    re.VERBOSE,
)


def _is_expletive(token: Token) -> bool:
    """ "It" that means nothing: "it rains", "it takes me an hour to get there"."""
    if token.lower_ != "it":
        return False
    if token.dep_ == "expl":
        return True
    verb = token.head
    if token.dep_ in ("nsubj", "nsubjpass") and _IMPERSONAL.search(
        token.doc[verb.left_edge.i : verb.right_edge.i + 1].text
    ):
        return any(child.dep_ in ("xcomp", "ccomp", "advcl", "csubj") for child in verb.children) or any(
            grandchild.dep_ in ("xcomp", "ccomp") for child in verb.children for grandchild in child.children
        )
    return False


def _is_action(token: Token) -> bool:
    """Of "do it", "it" is what is done, and no thing."""
    return token.dep_ == "dobj" and token.head.lower_ in ("do", "does", "did", "done", "doing")


def _is_bound(token: Token, subject: Token) -> bool:
    """Return whether the pronoun means somebody whom the clause itself names before it."""
    if token.i == subject.i:
        return False
    pronoun = SUBJECT_FORMS[token.lower_]
    for other in token.doc[: token.i]:
        if other.pos_ not in ("NOUN", "PROPN") or other.dep_ in ("npadvmod", "compound"):
            continue
        if other.is_ancestor(token) and token.dep_ == "pobj":
            continue  # "half of it" is not it
        is_doer = pronoun != "it" and other.dep_ == "nsubj" and other.head.i == token.head.i
        if is_doer and token.dep_ in ("dobj", "dative") and not token.lower_.endswith("self"):
            continue  # "Gareth has her at weekends": who does it to oneself says so
        number_fits = (other.tag_ in ("NNS", "NNPS") or bool(list(find_conjuncts(other))[1:])) == (
            pronoun == "they"
        )
        gender = find_gender(other.text)
        if pronoun == "it":
            if not is_person(other) and other.tag_ == "NN":
                return True
        elif pronoun == "they":
            if number_fits:
                return True
        elif is_person(other) and gender in ("", "m" if pronoun == "he" else "f") and number_fits:
            return True
    return token.dep_ not in ("nsubj", "nsubjpass") and any(
        other.lower_ in SUBJECT_FORMS and SUBJECT_FORMS[other.lower_] == pronoun
        for other in token.doc[: token.i]
    )
