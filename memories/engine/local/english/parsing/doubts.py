"""What makes a clause doubtful: words that leave out what they speak of, or that may be read in two ways."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from memories.engine.local.english.moods import SAME_IN_PAST
from memories.engine.local.english.parsing.grammar import FIRST_PERSON, find_auxiliaries, is_maybe_noun
from memories.engine.local.english.parsing.naming import is_head_count
from memories.engine.local.english.people import SUBJECT_FORMS
from memories.text.time.english import find_english_times
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))


def is_doubtful(doc: Doc, root: Token) -> bool:
    """Return whether the clause may be read in two ways, or leaves out what only the talk tells."""
    return (
        any(_stands_for_noun(token) or _leaves_out_noun(token) or _had_or_would(token) for token in doc)
        or any(token.dep_ == "conj" and is_maybe_noun(token) for token in doc)
        or _leaves_out_action(root)
        or _may_be_present(root, doc)
        or _is_or_has(root)
        or _begins_with_answer(doc)
        # "It's the month after next" says when; of what, the clause does not tell.
        or bool(_IS_WHEN.match(doc.text))
        # "My leave ends the day before": before what, another clause tells.
        or bool(_DAY_BEFORE.search(doc.text))
        or bool(_LEAVES_OUT_END.search(doc.text))
        or _names_owner(root)
        # "All of us": of whom, only the talk tells.
        or bool(re.search(r"\b(?:all|both|one|some|none|each|most|half|two) of us\b", doc.text))
    )


_PERIOD = "(?:week|weekend|month|year)"
_IS_WHEN = re.compile(
    r"(?:actually,? |now )?(?:it|that)(?:'s| is| was| will be) (?:now )?"
    rf"(?:(?:last|next|this) {_PERIOD}|the {_PERIOD} (?:after next|before last))\b",
    re.IGNORECASE,
)
_DAY_BEFORE = re.compile(
    r"\bthe (?:very )?(?:day|night|evening|morning|week|weekend|month|year) (?:before|after)[.!]*$",
    re.IGNORECASE,
)
# "I shouldn't have", "I don't want to", "I'll be the first": what, and of whom, another clause tells.
_LEAVES_OUT_END = re.compile(rf"\b(?:{_WORDS['open_ends']})[.!]*$", re.IGNORECASE)
_DEMONSTRATIVE = frozenset({"this", "that", "these", "those"})


def is_said_of_others(subject: Token, root: Token) -> bool:
    """Return whether "we" and "I" stand where somebody else is meant."""
    words = (root, *root.children)
    if subject.lower_ == "we" and root.lower_ in ("are", "'re", "were") and is_head_count(root):
        return True  # how many they are, not what the user is
    behind = {token.lower_ for token in root.doc[root.i :]}
    if subject.lower_ == "we" and "together" in behind and "with" not in behind:
        return True  # with whom, "we" does not tell
    if subject.lower_ == "we" and any(token.lower_ in _OF_BUSINESSES for token in words):
        return True  # "We're closed on Mondays" is said of a shop
    # "We had a cat, Mog, died last year": the user did not
    return subject.lower_ in FIRST_PERSON and root.lower_ in _OF_THE_DEAD


_OF_BUSINESSES = frozenset({"closed", "open", "shut"})
_OF_THE_DEAD = frozenset({"died", "die", "dies"})


def is_beside_he_or_she(token: Token) -> bool:
    """Return whether "it" stands beside "he" or "she", one of which may be the animal: "Miso isn't eating, the vet
    thinks it's her teeth", "The tablets went, it upset her stomach"."""
    others = {SUBJECT_FORMS.get(other.lower_) for other in token.doc}
    return token.lower_ == "it" and token.dep_ == "nsubj" and bool(others & {"he", "she"})


def _names_owner(root: Token) -> bool:
    """Return whether "it" is said to be somebody's: of all that was named, "It's my gran's" only fits what can be
    owned."""
    subject = next((child for child in root.children if child.dep_ == "nsubj"), None)
    owner = next((child for child in root.children if child.dep_ == "attr"), None)
    if subject is None or subject.lower_ != "it" or owner is None:
        return False
    is_of_owner = owner.right_edge.tag_ == "POS" and owner.right_edge.head.i == owner.i
    return is_of_owner or owner.lower_ in ("mine", "hers", "his", "theirs", "ours")


def _may_be_present(root: Token, doc: Doc) -> bool:
    """Return whether "I put in 400 every month" tells of what is done, or was: its form is the same."""
    is_repeated = re.search(
        r"\b(?:every|each|usually|always|often|never|sometimes)\b", doc.text, re.IGNORECASE
    )
    return root.lower_ in _PRESENT_OR_PAST and not find_auxiliaries(root) and bool(is_repeated)


def _begins_with_answer(doc: Doc) -> bool:
    """Return whether a bare noun stands before what the user says, as an answer to something: "The tutor, I freeze up
    in front of others"."""
    commas = [token.i for token in doc if token.text == ","]
    if not commas or not 0 < commas[0] <= _LONGEST_NOUN or commas[0] + 1 >= len(doc):
        return False
    words, behind = doc[: commas[0]], doc[commas[0] + 1].lower_
    is_noun = all(token.pos_ in ("NOUN", "PROPN", "ADJ", "DET") for token in words)
    says_when_or_what = bool(_NO_ANSWER & {token.lower_.removesuffix("s") for token in words})
    is_of_user = behind in FIRST_PERSON or (behind in ("my", "our") and len(commas) == 1)
    if not is_noun or says_when_or_what or not is_of_user or words[0].lower_ in _NO_ANSWER:
        return False
    return not find_english_times(f"on {words.text}", _ANY_DAY)


_LONGEST_NOUN = 4
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)
# Times, and nouns that only announce what is said: "Big news, I got the job".
_NO_ANSWER = frozenset(
    """
        day week month year morning evening afternoon night weekend weekday yesterday today tomorrow
        tonight noon spring summer autumn fall winter time january february march april may june
        july august september october november december last next same only sad sorry true fun
        honest new news thing point confession update question problem fact story line plan reason
        result bonus secret a an this every most some
    """.split()
)


def _is_or_has(root: Token) -> bool:
    """Return whether "'s" before a participle is "is" or "has": "Tom's offered a place at Bath"."""
    ending = next(
        (
            child
            for other in root.children
            for child in other.children
            if child.tag_ == "POS" and other.dep_ == "nsubj"
        ),
        None,
    )
    if ending is None or root.tag_ not in ("VBN", "VBD"):
        return False
    return ending.i < root.i and all(token.pos_ == "ADV" for token in root.doc[ending.i + 1 : root.i])


def _leaves_out_action(root: Token) -> bool:
    """Return whether the clause only says that something was done: "have done since I was fifteen", "glad I didn't"."""
    has_object = any(child.dep_ in ("dobj", "nsubjpass", "advmod") for child in root.children)
    is_doing = root.lower_ in ("do", "does", "did", "done") and not has_object
    last = root.doc[-1 if root.doc[-1].is_alpha or len(root.doc) < 2 else -2]
    ends_in_denial = last.lower_ in ("n't", "not") and root.doc[last.i - 1].lower_ in ("did", "do", "does")
    return is_doing or (last.i > 0 and ends_in_denial)


def _had_or_would(token: Token) -> bool:
    """Return whether "'d" may be "had" or "would", as the verb is the same behind both: "I'd put 500 aside"."""
    return (
        token.lower_ in ("'d", "’d")
        and token.dep_ == "aux"
        and token.head.lower_ in _SAME_BEHIND_HAD
        and token.head.i > token.i
    )


_PRESENT_OR_PAST = SAME_IN_PAST | frozenset({"put", "set", "let", "cost", "read"})

_SAME_BEHIND_HAD = _PRESENT_OR_PAST | frozenset({"become", "come", "run"})

_HOURS = frozenset({"at", "by", "until", "till", "before", "after", "about", "around", "from", "to", "past"})


def _stands_for_noun(token: Token) -> bool:
    """Return whether "one" or "ones" takes the place of a noun that another clause names: "We did one in Peru"."""
    if token.lower_ not in ("one", "ones") or token.dep_ not in ("dobj", "pobj", "attr", "nsubj", "conj"):
        return False
    if token.head.lower_ in _HOURS or any(child.lower_ == "of" for child in token.children):
        return False
    return not any(
        other.tag_ in ("NN", "NNS") and other.dep_ in ("dobj", "nsubj", "pobj")
        for other in token.doc[: token.i]
    )


_QUANTITIES = frozenset("some both most none few several many other rest".split())


def is_bare_quantity(subject: Token) -> bool:
    """Return whether of the subject only a number is said: "Two are coeliac", "the other lives in Oslo"."""
    is_quantity = (subject.tag_ == "CD" and not subject.text[:1].isdigit()) or subject.lower_ in _QUANTITIES
    return is_quantity and all(child.dep_ in ("det", "advmod", "quantmod") for child in subject.children)


def _leaves_out_noun(token: Token) -> bool:
    """Return whether an object only points at what was said before: "I mix those up", "We had eleven"."""
    if token.dep_ != "dobj" or any(True for _ in token.children):
        return False
    if token.lower_ in _DEMONSTRATIVE:
        return True
    return token.tag_ == "CD" and token.is_alpha and token.head.lower_ in _HAVING


_HAVING = frozenset("have has had 've got buy bought sell sold keep kept own lost lose need".split())
