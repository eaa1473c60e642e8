"""English from the first person to the third: "I'm in Rome with my wife" -> "The user is in Rome with their wife"."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.en.case import fold_case
from memories.text.en.verbs import BASE, PAST, inflect_third_person, is_adverb, is_base
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "third_person")
_QUOTED = re.compile('(https?://[^ \n]{1,2000}|"[^"\n]{0,300}"|“[^”\n]{0,300}”|`[^`\n]{0,300}`)')
_WORD = re.compile(r"([A-Za-z]+(?:'[A-Za-z]+)?)")
_NEGATED = re.compile(
    r"\b(ca|wo|sha|is|are|was|were|do|does|did|has|have|had|could|would|should|must|need|might)n't\b",
    re.IGNORECASE,
)
_STEMS = {"ca": "cannot", "wo": "will not", "sha": "shall not"}
_CONTRACTED = re.compile(r"\b(I|we|you|they|he|she|it)'(m|ve|ll|re|d|s)\b(?:( \w+))?", re.IGNORECASE)
_ENDINGS = {"m": "am", "ve": "have", "ll": "will", "re": "are"}
_LAZY = re.compile(r"\b(?:im|ive|dont|cant|didnt|doesnt|wont)\b", re.IGNORECASE)
_LAZY_FORMS = {
    "im": "I am",
    "ive": "I have",
    "dont": "do not",
    "cant": "cannot",
    "didnt": "did not",
    "doesnt": "does not",
    "wont": "will not",
}
_FILLER = re.compile(
    rf"""
    ^(?:
        (?:{_WORDS["fillers"]})
        (?:,\s*|!\s*|:\s*|\s+(?=(?:I|I'm|i|i'm|my|My|we|We|it|he|she|they|his|her)\b))
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REPORTED_BY_ONESELF = re.compile(
    rf"^(?:I (?:{_WORDS['reports']})(?: that)?,? )+(?=(?:I|my)\b)", re.IGNORECASE
)


_NAME_IS = re.compile(r"\b(name|there|that|what|here|where|everything)'s\b", re.IGNORECASE)
_YOU_DID = re.compile(rf"\byou(?= (?:just |kindly )?(?:{_WORDS['assistant_did']})\b)", re.IGNORECASE)
_THANKS = re.compile(
    r"^(?:thanks|thank you)(?: so much| a lot)? for [^,.!]{0,60}[,!]\s*(?=\w)", re.IGNORECASE
)
_ASIDE = re.compile(r",? (?:btw|by the way|lol|haha|tbh|imo)(?=[.!]?$)", re.IGNORECASE)


def lower_shouting(text: str) -> str:
    """Without shouting: "I HATE FISH" is said like anything else."""
    letters = [letter for letter in text if letter.isalpha()]
    is_shouted = len(letters) > 8 and text.count(" ") > 1 and not any(letter.islower() for letter in letters)
    return re.sub(r"\bi\b", "I", text.capitalize()) if is_shouted and text.isascii() else text


def name_assistant(text: str) -> str:
    """The "you" who recommended something is the assistant; any other may be anybody."""
    return _YOU_DID.sub("the assistant", text)


def expand_contractions(text: str) -> str:
    """Contractions written out, so that later rules see one form."""
    text = _NAME_IS.sub(lambda m: f"{m[1]} is", text)
    text = _LAZY.sub(lambda m: _LAZY_FORMS[fold_case(m[0])], text)
    text = _NEGATED.sub(_expand_negation, text)
    return _CONTRACTED.sub(_expand_ending, text)


def remove_filler(clause: str) -> str:
    """Without the words before the statement: "Well, I think I ..." -> "I ..."."""
    return _ASIDE.sub("", _REPORTED_BY_ONESELF.sub("", _FILLER.sub("", _THANKS.sub("", clause))))


_WE = re.compile(r"(?:and )?we\b", re.IGNORECASE)
_ALSO = re.compile(r"I (?=(?:hate|love|like|prefer|dislike|avoid|do not|cannot|never)\b)")


def with_common_subject(clauses: list[str]) -> list[str]:
    """ "We like temples and hate crowds" was cut in two: both are ours."""
    joined: list[str] = []
    for clause in clauses:
        is_ours = bool(joined) and bool(_WE.match(joined[-1]))
        joined.append(_ALSO.sub("we ", clause, count=1) if is_ours and _ALSO.match(clause) else clause)
    return joined


# "I love “Emma”", "our boat is called “Sea Biscuit”": the marks are of a title or a name, and of nobody's words.
_TITLE = re.compile(
    r"""
    (?P<before>\b(?:
        is | are | was | were | called | named | nicknamed | titled | (?:I|we|not)\ (?:really\ )?like | love
        | hate | adore | stand | bear | dislike | detest | loathe | prefer | enjoy | read | reading | watch
        | watched | watching | play | played | the | my | our | a | of | in
        | at | from | near | by
    )\ )["“](?P<title>(?!(?:I|my|we|you|your|he|she|they|it|the\ user)\b)[\w'’&:-]+(?:\ [\w'’&:-]+){0,4})[.!]?["”]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def blank_quotes(clause: str) -> str:
    """With quoted words blanked out: what others said is no statement of the speaker, unlike the title of a book."""
    return _QUOTED.sub('""', _TITLE.sub(r"\g<before>\g<title>", clause))


def rewrite_in_third_person(clause: str, first: str = "the user", second: str = "") -> str:
    """The clause as said about `first`; "you" becomes `second` where one is given."""
    pieces = _QUOTED.split(expand_contractions(clause))
    rewriting = _Rewriting(first, second)
    return "".join(piece if at % 2 else rewriting.run(piece) for at, piece in enumerate(pieces))


def as_sentence(text: str) -> str:
    """With a capital and an end mark."""
    text = text.strip().rstrip(",;:—- ")
    if not text:
        return ""
    ended = text if text[-1] in ".!?。！？…" else text + "."
    return ended[0].upper() + ended[1:]


def _expand_negation(match: re.Match[str]) -> str:
    stem = match[1]
    full = _STEMS.get(fold_case(stem), f"{fold_case(stem)} not")
    return full[0].upper() + full[1:] if stem[0].isupper() else full


def _expand_ending(match: re.Match[str]) -> str:
    pronoun, ending, after = match[1], fold_case(match[2]), match[3] or ""
    following = after.strip()
    is_done = (following.endswith("ed") and following.islower() and len(following) > 3) or following in (
        "been",
        "gone",
        "done",
        "seen",
        "had",
        "better",
        "got",
        "taken",
    )
    if ending == "d":
        full = "had" if is_done else "would"
    elif ending == "s":
        full = "has" if is_done else "is"
    else:
        full = _ENDINGS[ending]
    return f"{'I' if pronoun in ('i', 'I') else pronoun} {full}{after}"


class _Rewriting:
    """One pass over a clause; what must agree depends on the words before."""

    def __init__(self, first: str, second: str) -> None:
        self._first = first
        self._second = second
        self._is_named = False
        self._is_together = False
        self._has_spoken = False
        self._has_verb = False
        self._awaits_verb = False
        self._is_present = False
        self._previous = self._following = ""

    @property
    def _together(self) -> str:
        """The "we" of an assistant is its firm, and those who asked it are no part of that."""
        return self._first if self._second else f"{self._first} and others"

    def run(self, piece: str) -> str:
        parts = _WORD.split(piece)
        for at in range(1, len(parts), 2):
            self._following = "".join(parts[at + 2 : at + 3]).lower()
            parts[at] = self._rewrite_word(parts[at], parts[at - 1], parts[at + 1])
        return "".join(parts)

    def _rewrite_word(self, word: str, before: str, after: str) -> str:
        lower = word.lower()
        written = self._rewrite_pronoun(lower, word, before)
        if written is None:
            written = self._rewrite_verb(lower, word, before, after)
        self._previous = lower
        self._has_verb = (
            self._has_verb or lower in _FINITE or lower in PAST or lower.removesuffix("s") in BASE
        )
        return written

    def _rewrite_pronoun(self, lower: str, word: str, before: str) -> str | None:
        if lower == "i" and (word == "I" or not before.strip()) and not before.endswith("."):
            return self._rewrite_subject(self._first)
        if self._second and lower == "you":
            is_object = self._previous in _TAKES_OBJECT or self._following in _FOLLOWS_OBJECT
            return self._second if is_object else self._rewrite_subject(self._second)
        if self._second and lower in ("your", "yours"):
            return f"{self._second}'s"
        if lower == "we" and self._second:
            return self._rewrite_subject(self._first)
        if lower == "we":
            self._awaits_verb = self._is_present = False
            self._is_named = self._is_together = True
            return self._together
        written = self._rewrite_other_pronoun(lower, word)
        if written is None and lower in _OTHER_SUBJECTS:
            self._awaits_verb = self._is_present = False
        return written

    def _rewrite_other_pronoun(self, lower: str, word: str) -> str | None:
        if lower == "me":
            return self._first
        if lower == "us" and word != "US":
            return self._together
        if lower in ("my", "our"):
            # Behind "the user and others" a "their" would be everybody's.
            owner = (
                "their"
                if self._is_named and not (self._is_together and lower == "my")
                else f"{self._first}'s"
            )
            self._is_named = True
            return owner
        if lower in ("mine", "ours"):
            return "theirs" if self._is_named else f"{self._first}'s"
        return {"myself": "themselves", "ourselves": "themselves"}.get(lower)

    def _rewrite_subject(self, subject: str) -> str:
        # "My wife and I were": the verb already agrees with two. "I sing and I dance": it does not.
        self._awaits_verb = self._has_spoken or self._has_verb or self._previous not in ("and", "or")
        self._is_named, self._has_spoken, self._is_present = True, True, False
        return subject

    def _rewrite_verb(self, lower: str, word: str, before: str, after: str) -> str:
        if self._awaits_verb:
            if is_adverb(lower):
                return word
            self._awaits_verb = False
            self._is_present = is_base(lower) and lower not in ("are", "have", "do")
            return inflect_third_person(word)
        if self._previous == "to" and lower in BASE and lower not in _PLACES_TO_GO:
            # "wants to swim and hike": what "and" joins is another infinitive.
            self._is_present = False
        joins = self._previous in ("and", "or", "but") and lower in BASE and lower not in PAST
        if self._is_present and joins and before == " " and after.strip(" ") not in (".", ",", "!"):
            return inflect_third_person(word)
        return word


_FINITE = frozenset("is are has have does do will can".split())
_PLACES_TO_GO = frozenset("work sleep visit".split())
_TAKES_OBJECT = frozenset(
    """
        for to with about of at by from tell tells told show shows showed give gives gave help helps
        helped let lets make makes see thank and or
    """.split()
)
# "Looks you over", "drives you home": no predicate begins so.
_FOLLOWS_OBJECT = frozenset(
    "over up down out off back away in on with to for at from through into onto home there around along about".split()
)
_OTHER_SUBJECTS = frozenset("they he she it you who which that there".split())
