"""Takes the question along into a short answer: "How long have you been a nurse?" "Nine years." is one statement."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import find_subject
from memories.engine.local.english.people import Referent
from memories.engine.local.english.replies.questions import is_about_others, is_open
from memories.text.en.case import fold_case
from memories.text.en.verbs import inflect_third_person

if TYPE_CHECKING:
    from spacy.tokens import Doc

_YES = re.compile(
    r"""
    ^(?:
        yes | yeah | yep | yup | sure | of\ course | absolutely | definitely | i\ do | i\ am | i\ have
        | always | correct | right | exactly
    )\b(?:[,.!]|\s|$)(?:\ (?:i|we)\ (?:do|am|have|are)\b)?[ ,.!]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO = re.compile(
    r"""
    ^(?:no|nope|nah|never|not\ (?:yet|really|at\ all|any\ ?more)|i\ don't|i'm\ not|i\ haven't|neither)
    \b[ ,.!]*(?:
        (?:i|we)\ (?:don't|do\ not|am\ not|'m\ not|haven't)\b | never | not\ (?:really|at\ all) | i'm\ not
    )?[ ,.!]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AUXILIARY = "do|does|did|are|is|were|was|have|has|had|can|could|will|would"
_YES_NO = re.compile(
    r"""
    ^(?:(?:and|so|but|ok|okay|great|nice|also),?\ )?(?P<aux>do|did|are|were|have|can|could|will|would)
    \ you\ (?P<rest>[^?]+)\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHAT_IS = re.compile(
    r"""
    ^(?:and\ |so\ |ok,\ |great,\ )?(?:what|which|who|where|when|how\ (?:old|tall|big|long|much))
    (?:'s|\ is|\ are|'re)\ your\ (?P<what>[^?,]{2,60})\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HOW_LONG = re.compile(r"^(?:and |so )?how long have you (?P<rest>[^?]+)\?$", re.IGNORECASE)
_HOW_OLD = re.compile(
    r"^(?:and |so )?how old (?:are|is) (?P<who>you|your [\w' -]{2,40}|(?-i:[A-Z][\w'’-]+))(?: now)?\?$",
    re.IGNORECASE,
)
_HOW_TALL = re.compile(r"^(?:and |so )?how (?P<what>tall|heavy) are you\?$", re.IGNORECASE)
_HOW_MANY = re.compile(
    r"^(?:and |so )?how (?:many|much) (?P<what>[\w' -]{2,40}?) (?P<aux>do|did|have|are|can) you (?P<rest>[^?]+)\?$",
    re.IGNORECASE,
)
_HOW_OFTEN = re.compile(
    r"^(?:and |so )?(?:how often|when|what time|at what time) do you (?:usually |normally )?(?P<rest>[^?]+)\?$",
    re.IGNORECASE,
)
_WHAT = re.compile(
    rf"^(?:and |so )?(?:what|which|who|where)(?: (?P<kind>(?!(?:{_AUXILIARY})\b)[\w' -]{{2,30}}?))? "
    rf"(?P<aux>do|are|have|would|will|can) you (?P<rest>[^?]+)\?$",
    re.IGNORECASE,
)
# Questions about something that is not the user's own: "Which practice?", "Who is Gwendoline?".
_WHICH = re.compile(
    r"^(?:and |so |oh,? )?which (?P<what>(?:[a-z][\w'-]+ ){0,2}[a-z][\w'-]+)\?$", re.IGNORECASE
)
_WHO_IS = re.compile(r"^(?i:and |so |oh,? )?(?i:who(?:'s| is)) (?P<who>(?:[A-Z][\w'’-]+ ?){1,3})\?$")
_CALLED = re.compile(
    r"^(?:and |so )?what(?:'s| is) (?P<what>(?:the|your) [\w' -]{2,40}) called\?$", re.IGNORECASE
)
_HOW_MANY_OTHERS = re.compile(
    r"""
    ^(?:and\ |so\ )?how\ many\ (?P<what>[\w'-]+(?:\ [\w'-]+)?)\ (?P<verb>
        (?!do\b|does\b|did\b|have\b|has\b|are\b|is\b|can\b|will\b)[a-z]+
    )(?P<rest>(?:\ [\w'-]+){0,4})\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COUNT = re.compile(
    r"""
    ^(?P<number>
        (?:about\ |around\ |only\ |just\ )?(?:
            \d[\d.,]* | one | two | three | four | five | six | seven | eight | nine | ten | eleven
            | twelve | (?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-\w+)? | a\ dozen | a\ hundred
        )
    )(?P<more>(?:,|\ plus|\ and)\b.*|,\ .*)?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HOW_LONG_IS = re.compile(
    r"""
    ^(?:and\ |so\ )?how\ (?:long|much|old|big|far|heavy|tall)\ (?P<be>is|are|was|were|does|do)[ ]
    (?P<what>(?:the|your|a|an|his|her|their)\b[\w' -]{2,40}?)(?:\ (?P<verb>take|cost|last|weigh))?\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHAT_DOES = re.compile(
    r"^(?:and |so )?what (?:does|do) (?P<what>(?:the|your) [\w' -]{2,40}?) (?P<verb>[a-z]+)\?$", re.IGNORECASE
)
_STATED = re.compile(
    r"^(?:it|that|they|he|she|I|we|there|because|well|yes|no|not|none|both)\b", re.IGNORECASE
)
_POINTING = re.compile(
    r"\b(?:it|its|them|they|their|he|him|his|she|her|this|that|these|those)\b", re.IGNORECASE
)
_WHAT_JOB = re.compile(
    r"^(?:and |so )?what do you do(?: now| these days| at the moment| (?:for (?:a living|work)))?\?$",
    re.IGNORECASE,
)
_WHEN_IS = re.compile(
    r"^(?:and |so )?when(?P<s>'s)? ?(?P<be>is|are|was|were)? (?P<what>(?:the|your) [\w' -]{2,40})\?$",
    re.IGNORECASE,
)
# What is only meant to be, or no time at all.
_UNSURE = re.compile(
    r"(?:supposed|meant|hoping|trying|depends|depending|hopefully|ideally|realistically|probably|hard|no idea|not)\b",
    re.IGNORECASE,
)
_TIME_WORDS = frozenset(
    "on in at from before after next this today tomorrow tonight early late around between".split()
)
_TWO_THINGS = re.compile(
    r"""
    ^(?:what(?:'s|\ is|\ are)\ )?your\ (?P<one>[a-z][\w'-]+(?:\ [a-z][\w'-]+)?)\ and\ (?:your\ )?
    (?P<other>[a-z][\w'-]+(?:\ [a-z][\w'-]+)?)\?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TWO_ANSWERS = re.compile(r"^(?P<one>[^,]{1,40}?)(?:, and |,? and |, )(?P<other>[^,]{1,40})$", re.IGNORECASE)
_PREPOSITIONS = frozenset("in at on for with to from of about by into as near".split())
_STRANDED = re.compile(rf"^(?P<verb>.+?) (?P<preposition>{'|'.join(sorted(_PREPOSITIONS))})$", re.IGNORECASE)
_ANY = re.compile(r"^(?P<verb>.+?) (?:any|an?|some)\b.*$", re.IGNORECASE)
_ALTERNATIVES = re.compile(
    r"^(?P<verb>[\w' ]+?) (?P<one>[\w'-]+(?: [\w'-]+){0,2}) or (?P<other>[\w'-]+(?: [\w'-]+){0,2})$",
    re.IGNORECASE,
)
# "Are you from Wales?" "No, Bristol.": the name in the place of the name.
_OF_SOMETHING = re.compile(
    r"^(?P<head>(?:[a-z][\w'-]* ){0,4}(?:from|in|at|with|to|on|for)) (?:the )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?$"
)
_INSTEAD = re.compile(r"^(?:the |my )?[A-Z][\w'’-]+(?: [A-Z][\w'’-]+){0,2}$")
_LONGEST_ANSWER_WORDS = 14
_BE_FORMS = {
    "are": "am",
    "were": "was",
    "do": "",
    "have": "have",
    "can": "can",
    "could": "could",
    "will": "will",
    "would": "would",
    "did": "did",
}


def remove_capital(question: str, answer: str, doc: Doc) -> str:
    """The answer without the capital of its first word, unless that is a name."""
    first = doc[0]
    is_word = first.text[1:] == first.text[1:].lower() and first.text != "I"
    # Of what somebody does or likes, many are things; the parser takes a capital for a name.
    is_many = first.text.endswith("s") and re.match(r"(?:and )?what\b", question, re.IGNORECASE)
    is_plain = is_word and (first.tag_ not in ("NNP", "NNPS") or is_many)
    return answer[0].lower() + answer[1:] if is_plain else answer


_THEN_STATED = re.compile(
    r"^(?P<answer>[^,.;?!]{2,60})[,;] (?:and |but )?(?P<rest>(?:I|I'\w+|we|we'\w+|my|our) \S+ \S.*)$",
    re.IGNORECASE,
)


def split_answer_and_statement(answer: str) -> tuple[str, str] | None:
    """The answer and what is said beside it: "Skilled worker, my employer is Harlow Marine"; none where it is only
    one."""
    match = _THEN_STATED.match(answer)
    if match is None or _YES.match(answer) or _NO.match(answer):
        return None
    return match["answer"], match["rest"]


def is_clause(doc: Doc) -> bool:
    """Return whether an answer is a sentence about somebody else: "A carer comes on Wednesdays"."""
    root = next(iter(doc.sents)).root
    subject = find_subject(root)
    begins = (
        subject is not None and subject.left_edge.i == 0 and subject.pos_ == "NOUN" and subject.i < root.i
    )
    return begins and root.tag_ in ("VBZ", "VBD")


# Who does something for a living: "Have you chosen an artist?".
_ASKS_FOR_SOMEBODY = re.compile(
    r"""
    \b(?:who|whom|whose|called|named)\b | \bnames?\ of\b
    | \b(?:an?|the|your|any)\ (?:[a-z]+\ )?[a-z]{2,}(?:ist|er|or|ant|ian|man)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def find_named_in_answer(question: str, doc: Doc) -> list[Referent]:
    """The name that is all of an answer, with what stands around it: "Old Reggie", "Ines in Margate"."""
    root = next(iter(doc.sents)).root
    if root.tag_ != "NNP" or root.text.isupper():
        return []
    start = min([child.i for child in root.children if child.dep_ == "compound"], default=root.i)
    name = doc[start : root.i + 1].text
    return [Referent(name, "" if _ASKS_FOR_SOMEBODY.search(question) else "?")]


_OF_USER = re.compile(r"\b(?:I|me|my|we|us|our)\b")


def stands_alone(question: str, answer: str, has_subject: bool, is_sentence: bool) -> bool:
    """Return whether an answer is a statement of its own: it has a subject, or is a sentence about the user once it
    gets one."""
    if not is_about_others(question):
        return is_sentence
    if is_open(question):
        return has_subject
    return has_subject or not is_sentence or bool(_OF_USER.search(answer))


def write_full_answer(question: str, answer: str) -> str:
    """The answer as a statement in the first person; "" if no rule is certain how to say it."""
    answer = answer.strip().rstrip(".! ")
    if _POINTING.search(question):  # whom the other one means only the whole talk tells
        return ""
    if not answer or len(answer.split()) > _LONGEST_ANSWER_WORDS or "?" in answer:
        return ""
    for rule in (_answer_yes_no, _answer_two, _answer_what_is, _answer_how, _answer_what, _answer_of_others):
        if statement := rule(question, answer):
            return " ".join(statement.split())
    return ""


def _rewrite_in_first_person(words: str) -> str:
    words = re.sub(r"\byour\b", "my", words, flags=re.IGNORECASE)
    words = re.sub(r"\byourself\b", "myself", words, flags=re.IGNORECASE)
    return re.sub(r"\byou\b", "I", words, flags=re.IGNORECASE)


def _answer_yes_no(question: str, answer: str) -> str:
    match = _YES_NO.match(question)
    if not match:
        return ""
    auxiliary, rest = match["aux"].lower(), _rewrite_in_first_person(match["rest"].strip())
    yes, no = _YES.match(answer), _NO.match(answer)
    opening = yes or no
    more = answer[opening.end() :].strip(" ,") if opening else answer
    if re.match(r"(?:I|we|my|our|he|she|it|they|but|and|because)\b", more, re.IGNORECASE):
        more = ""
    verb = _BE_FORMS[auxiliary]
    if no and (other := _OF_SOMETHING.match(rest)) and _INSTEAD.match(more):
        return f"I {verb} {other['head']} {more}"
    if no:
        denied = re.sub(r"^ever ", "", rest)
        base = {"": "do not", "did": "did not", "can": "cannot"}.get(verb, f"{verb} not")
        still = " yet" if re.match(r"not yet\b", answer, re.IGNORECASE) else ""
        statement = f"I {base} {denied}{still}"
        return f"I {base} {denied}, {more}" if re.match(r"(?:just|only)\b", more) else statement
    rest = re.sub(r"^ever ", "", rest)
    if alternatives := _ALTERNATIVES.match(rest):
        if yes or not more:
            return ""
        return f"I {verb} {alternatives['verb']} {_lower_first(more)}"
    if auxiliary == "did":
        return ""
    if not yes and not re.match(r"(?:an?|one|two|three|four|five|some|my|the|\d)", more, re.IGNORECASE):
        return ""
    if more:
        thing = _ANY.match(rest)
        if thing and not re.match(
            r"(?:since|for|every|once|twice|mostly|sometimes|usually|on|in|at|with)\b", more, re.IGNORECASE
        ):
            return f"I {verb} {thing['verb']} {_lower_first(more)}"
        return f"I {verb} {_replace_any(rest)}, {_lower_first(more)}"
    return f"I {verb} {_replace_any(rest)}"


def _replace_any(rest: str) -> str:
    return re.sub(r"\bany (?=\w+s\b)", "", re.sub(r"\bany (?=\w+[^s\W]\b)", "a ", rest))


def _answer_what_is(question: str, answer: str) -> str:
    match = _WHAT_IS.match(question)
    if not match:
        return ""
    what = match["what"].strip()
    is_many = question.lower().split()[1] == "are" or " are your" in question.lower()
    return f"my {_rewrite_in_first_person(what)} {'are' if is_many else 'is'} {_lower_first(answer)}"


def _answer_how(question: str, answer: str) -> str:
    text = _lower_first(answer)
    if match := _HOW_LONG.match(question):
        joint = "" if re.match(r"(?:since|for|ever|all|about since)\b", text) else "for "
        tail = re.match(r"(?P<time>.+?) (?P<in>in \w+)$", text)
        text = f"{tail['time']} ({tail['in']})" if tail and joint else text
        return f"I have {_rewrite_in_first_person(match['rest'])} {joint}{text}"
    if match := _HOW_OLD.match(question):
        who = _rewrite_in_first_person(match["who"])
        years = re.sub(r" years? old$", "", text)
        return f"{who} {'am' if who == 'I' else 'is'} {years}"
    if match := _HOW_TALL.match(question):
        return f"I am {text} {match['what']}"
    if match := _HOW_MANY.match(question):
        verb = _BE_FORMS[fold_case(match["aux"])]
        counted = (
            text
            if match["what"].lower() in text or not re.fullmatch(r"(?:about |around |only )?[\w.,-]+", text)
            else f"{text} {match['what']}"
        )
        return f"I {verb} {_rewrite_in_first_person(match['rest'])} {counted}"
    if (match := _HOW_OFTEN.match(question)) and not _UNSURE.match(text):
        return f"I {_rewrite_in_first_person(match['rest'])} {text}"
    return ""


def _answer_what(question: str, answer: str) -> str:
    if (match := _WHEN_IS.match(question)) and not _STATED.match(answer):
        text = _lower_first(answer)
        is_placed = text.split()[0].lower() in _TIME_WORDS or not re.match(
            r"\d|\w+day\b|the \d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", text
        )
        return f"{_rewrite_in_first_person(match['what'])} {match['be'] or 'is'} {text if is_placed else f'on {text}'}"
    if _WHAT_JOB.match(question) and not _STATED.match(answer):
        return f"my job is {_lower_first(answer)}"
    match = _WHAT.match(question)
    if not match or re.match(r"^(?:do|doing|think|mean|say)\b", match["rest"]):
        return ""
    verb, rest, text = (
        _BE_FORMS[fold_case(match["aux"])],
        _rewrite_in_first_person(match["rest"].strip()),
        _lower_first(answer),
    )
    is_place = bool(re.match(r"(?:and |so )?where\b", question, re.IGNORECASE))
    if stranded := _STRANDED.match(rest):
        if (
            match["kind"]
            and text[0].islower()
            and not re.match(r"(?:an?|the|my|our|both|all|mostly|only)\b", text)
        ):
            return ""  # "Skilled worker" of "What visa are you on?" leaves out that it is one
        starts = text.split()[0].lower() in _PREPOSITIONS
        return f"I {verb} {stranded['verb']} {'' if starts else stranded['preposition'] + ' '}{text}"
    is_bare = re.fullmatch("[a-z]+", text) and not text.endswith("s")
    if match["kind"] and rest == "have" and is_bare:
        return ""  # "Graduate" of "Which visa do you have?"
    if is_place and text.split()[0].lower() not in _PREPOSITIONS:
        text = f"in {text}"
    words = rest.split()
    if len(words) > 1 and words[0].lower() in (
        "rather",
        "usually",
        "normally",
        "still",
        "really",
        "also",
        "mostly",
    ):
        verb, words = f"{verb} {words[0]}", words[1:]
        if words == ["do"]:
            return f"I {verb} {text}"
    return f"I {verb} {words[0]} {text} {' '.join(words[1:])}" if not is_place else f"I {verb} {rest} {text}"


def _answer_two(question: str, answer: str) -> str:
    asked, given = _TWO_THINGS.match(question), _TWO_ANSWERS.match(answer)
    if asked is None or given is None:
        return ""
    return (
        f"my {asked['one']} is {_lower_first(given['one'])} and my {asked['other']} is "
        f"{_lower_first(given['other'])}"
    )


def _answer_of_others(question: str, answer: str) -> str:
    """Of what the talk is about: "How many artists work there?" "Three, plus a trainee."."""
    text = _lower_first(answer)
    if _STATED.match(answer):
        return ""
    if match := _WHICH.match(question):
        is_many = match["what"].endswith("s") and not match["what"].endswith("ss")
        return f"the {match['what']} {'are' if is_many else 'is'} {text}"
    if (match := _CALLED.match(question)) and re.match("[A-Z]", answer):
        return f"{_rewrite_in_first_person(match['what'])} is called {answer}"
    if match := _WHO_IS.match(question):
        return f"{match['who']} is {text}" if re.match(r"(?:my|our|the|an?)\b", text) else ""
    if (match := _HOW_MANY_OTHERS.match(question)) and (count := _COUNT.match(text)):
        return (
            f"{count['number']} {match['what']} "
            f"{match['verb']}{_rewrite_in_first_person(match['rest'])}{count['more'] or ''}"
        )
    if match := _HOW_LONG_IS.match(question):
        what = _rewrite_in_first_person(match["what"])
        if match["verb"]:
            return f"{what} {_inflect_verb(match['verb'])} {text}"
        return f"{what} {match['be']} {text}" if match["be"] not in ("do", "does") else ""
    if match := _WHAT_DOES.match(question):
        return f"{_rewrite_in_first_person(match['what'])} {_inflect_verb(match['verb'])} {text}"
    return ""


def _inflect_verb(verb: str) -> str:
    """The verb behind "does" as it is without that."""
    form = inflect_third_person(verb)
    return f"{verb}s" if form == verb else form


def _lower_first(answer: str) -> str:
    """Without the capital that only the beginning of a sentence gave it: of a plain word, not of a name."""
    first = answer.split()[0].rstrip(",;:")
    is_plain = first[0].isupper() and first[1:] == first[1:].lower() and first.lower() in _PLAIN
    return answer[0].lower() + answer[1:] if is_plain else answer


_PLAIN = frozenset(
    """
        a an the my our one two three four five six seven eight nine ten eleven twelve about around
        roughly nearly almost since for every once twice three only just mostly mainly usually some
        any no not at in on with from to by near under over our less more maybe probably half both
        all early late next last this
    """.split()
)
