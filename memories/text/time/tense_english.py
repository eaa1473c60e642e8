"""The tense of the words around a date in English, which tells on which side of today it lies."""

from __future__ import annotations

import re

from memories.text.en.case import fold_case
from memories.text.en.verbs import PAST
from memories.text.time.dates import Tense

_FUTURE = re.compile(
    r"""
    \b(?:
        will | going\ to | gonna | plan(?:ning)? | want | wanna | hope | hoping | intend
        | (?:am|is|are|'m|'re|'s)\ \w+ing | 'll | would\ like | next | can't\ wait | looking\ forward
        | upcoming | flying | leaving | travell?ing | moving | starting | coming
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_PAST = re.compile(
    r"""
    \b(?:
        was | were | did | didn't | had | went | (?<!['’]ve\ )(?<!\bhave\ )(?<!\bhas\ )(?<!['’]s\ )got
        | took | came | saw | met | made | bought | began | left | found | felt | told | said | won | lost
        | ran | gave | ate | wrote | sold | spent | heard | flew | drove | broke | grew | kept | held
        | became | brought | taught | quit | stood | rang | chose | fell | spoke | threw | rode | drank | tore | stole
        | (?<!\ be\ )(?<!\bget\ )(?<!\bgets\ )(?<!getting\ )(?<!being\ )(?<!\ is\ )(?<!\ are\ )(?<!\ am\ )
          (?:paid|sent|caught|lent|slept)
        | (?:'ve|have|has)(?!\ (?:an?|the|my|to|no|some|another|two|three|\d+|got)\b)
        | (?<!\ be\ )(?<!getting\ )(?<!being\ )(?<!\ is\ )(?<!\ are\ )(?<!\ am\ )
          (?!indeed|hundred|speed|proceed|exceed|succeed)\w{3,}ed
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_IS = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)

# What was booked for a day or moved to it lies ahead, although that is done.
_SET_FOR = re.compile(
    r"\b(?:(?:re)?booked|(?:re)?scheduled|(?:re)?arranged|planned|(?:re)?set|fixed)\b[^,.;]{0,30}? for (?:the )?$"
    # What one has tickets for is still to come, though they are bought.
    r"|(?<!\bhad )\b(?:tickets?|seats|reservations?|places) (?:for|to|at|in)\b[^;]{1,60}? (?:on|for) (?:the )?$"
    r"|\bdue (?:(?:in|on|by|at) )?(?:the )?$"
    r"|(?:\b(?:am|is|are)|['’](?:m|s|re)) (?:not )?back (?:home |here )?(?:on|by|in) (?:the )?$"
    # What was agreed holds from a day on.
    r"|\b(?:agreed|settled|compromised|decided)(?: to| on| for)?\b[^,.;]{1,40}? from (?:the )?$"
    r"|\b(?:moved|pushed|postponed|delayed|deferred|put|changed|brought|slipped|slid|rescheduled"
    r"|switched)\b[^,.;]{0,30}? (?:to|until|till) (?:the )?$",
    re.IGNORECASE,
)

# "Has been called for jury duty on 11 May": the perfect names no day of its own, so that the day is that of what is to
# come.
_DONE_FOR = re.compile(
    r"""
    \b(?:has|have|'ve)\ (?:(?:just|already|now|also|finally)\ )?
    (?:been\ \w{2,}|(?:re)?booked|arranged|reserved|got|bought)\ (?!(?:since|that|when|because)\b)
    [^,.;]{1,40}?\ on\ (?:the\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)

# "I've deferred to Chester in October", "She's been offered a place at Bath in September": what has been arranged, or
# agreed to, is still to come; a perfect names no day of its own.
_ARRANGED = re.compile(
    r"""
    (?:\b(?:has|have|is|are|am)|['’](?:ve|s|m|re))\ (?:
        (?:just|already|now|also|finally|all|provisionally|recently|officially)[ ]
    )*(?:been\ )?(?:
        (?:re)?(?:booked|scheduled|arranged|planned|registered|enrolled) | reserved | deferred | postponed
        | delayed | pencilled | penciled | entered | signed\ (?:up|on) | lined\ up
        | put\ (?:off|back|down|in\ for) | pushed | brought\ forward
        | (?:offered|(?:accepted|invited|shortlisted|selected|chosen)(?=\ (?:to|for|an?|my|our|the)\b))
          (?!\ (?:in|on)\b)
        | (?:agreed|promised|decided|volunteered|committed|opted)(?=\ (?:to|on|for)\b)
    )\b(?![^.;]*\ (?:since|that|when|because|who|which|after|before|as)\b)[^.;]{0,70}[ ]
    (?:on|in|from|at|for|over|during|by)\ (?:the\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I've got a postdoc lined up from June": what one has in hand for a day lies ahead.
_LINED_UP = re.compile(
    r"""
    (?:\b(?:have|has|got)|['’](?:ve|s))\ (?:got\ )?(?!been\b)[^,.;]{1,50}[ ]
    (?:lined\ up|coming\ up|pencill?ed\ in|booked|planned)\b[^,.;]{0,30}\ (?:on|in|from|at|for|over)[ ]
    (?:the\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Been sober four years in August": so long it will be then.
_COMPLETED = re.compile(
    r"""
    \bbeen\ (?:[\w-]+\ ){1,4}?(?:
        \d+ | one | two | three | four | five | six | seven | eight | nine | ten | twelve | fifteen
        | twenty | thirty | forty
    )\ (?:years?|months?)\ (?:in|on)\ (?:the\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LEADS = frozenset("on in from at for over during by until till".split())

# "…, start on 1 July": a bare verb behind the comma is said of what is to come, whatever the clause before it tells.
_BARE_VERB = re.compile(
    r"""
    [,;–—-]\ (?:and\ |so\ |I\ |we\ )?(?:
        start | begin | finish | leave | move(?:\ in|\ out)? | fly(?:\ out|\ home|\ back)? | arrive
        | return | commence | kick\ off
    )(?:\ there|\ back|\ work)?\ (?:(?:on|in|from|by)\ )?(?:the\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I passed my theory, practical test on 3 July": behind the comma stands what has no verb, and so no tense either.
_VERBLESS = re.compile(
    r", (?:and |but |the |my |our )?(?P<what>[a-z-]+(?: [a-z-]+){0,2}) (?:on|in) (?:the )?$"
)
# "… post, start date 1 September": a day that something has, named behind a comma.
_OWN_DAY = re.compile(r"[,;–—-] (?:(?:the|my|our) )?(?:[a-z]+[ -]){1,2}(?:date|day)(?: of)? (?:the )?$")
_NO_EVENT = frozenset(
    """
        and or but nor with without at in on for from to of by into off out up down back over around
        near under through again once twice thrice alone together early late sometime somewhere only
        just all both first last then there here too also maybe perhaps almost about a an not never
        always still yet ago later earlier who which that when while because if as than he she they
        it we i you his her
    """.split()
)
_ACTIONS = frozenset(
    "wedding meeting hearing christening viewing sitting screening opening training fitting".split()
)

# What was to be on a day may have been then, or be still to come on another.
_WAS_TO_BE = re.compile(
    r"""
    \b(?:was|were)\ (?:(?:originally|first|actually|only)\ )?
    (?:supposed|meant|due|going|scheduled|planned|to)\b[^,.;]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "Our midwife left, so Joan's covering till June": the end of what goes on lies ahead.
_GOES_ON = re.compile(
    r"(?:\b(?:am|is|are|will)|['’](?:m|s|re|ll)) (?:\w+ing\b)?[^,;]*$"
    # "I've been signed off until the 17th": what somebody was given then still holds.
    r"|(?:\b(?:have|has)|['’](?:ve|s)) (?:just |now )?been (?!\w+ing\b)\w{3,}(?:ed|en|nt|t)\b[^,;]*$"
)

# "I have a pass until the end of August": an end that nothing in the past tense stands before.
_UNTIL = re.compile(
    r"\b(?:until|till)(?: the)?(?: (?:very )?(?:end|start|beginning|middle) of)?$", re.IGNORECASE
)


def _ends_ahead(match: re.Match[str]) -> bool:
    before = match.string[: match.start()][-80:]
    is_until = fold_case(match[0]).startswith(("until", "till")) or _UNTIL.search(before.rstrip())
    return bool(is_until) and (bool(_GOES_ON.search(before)) or not _PAST.search(before))


_SENTENCE_END = re.compile(r"(?<=[a-z]{3})[.!?…]+[\"”')]* +(?=[A-Z])")


def _read_words_before(match: re.Match[str], most: int) -> str:
    """Return what stands before the time, with the preposition that may be part of the match."""
    lead = fold_case(match[0].split()[0])
    return match.string[max(0, match.start() - most) : match.start()] + (f"{lead} " if lead in _LEADS else "")


def _has_no_verb(before: str) -> bool:
    """Return whether a comma and what has no verb stand before the day."""
    behind = _VERBLESS.search(before)
    words = behind["what"].split() if behind else []
    return (
        bool(words)
        and not any(
            word in PAST
            or (word in _NO_EVENT and word is not words[-1])
            or word.endswith(("ed", "ly"))
            or (word.endswith("ing") and word not in _ACTIONS)
            for word in words
        )
        and (len(words) > 1 or words[0] not in _NO_EVENT)
    )


def detect_tense(match: re.Match[str], known: Tense | None) -> Tense:
    """The tense of the verb nearest before the time, or else behind it, within a sentence's reach."""
    before = _read_words_before(match, 60)
    if _SET_FOR.search(before):
        return Tense.FUTURE
    if _WAS_TO_BE.search(match.string[max(0, match.start() - 60) : match.start()]):
        return Tense.PRESENT
    if (
        _DONE_FOR.search(before)
        or _BARE_VERB.search(before)
        or _ARRANGED.search(_read_words_before(match, 120))
        or _LINED_UP.search(_read_words_before(match, 120))
        or _COMPLETED.search(_read_words_before(match, 120))
    ):
        return Tense.FUTURE
    if _ends_ahead(match):
        return Tense.FUTURE
    if _OWN_DAY.search(before) or (match.groupdict().get("month") and _has_no_verb(before)):
        return Tense.PRESENT
    if known is not None:
        return known
    before = _SENTENCE_END.split(match.string[max(0, match.start() - 120) : match.start()])[-1]
    past = max((m.start() for m in _PAST.finditer(before)), default=-1)
    future = max((m.start() for m in _FUTURE.finditer(before)), default=-1)
    if max(past, future, -1) < max((m.start() for m in _IS.finditer(before)), default=-1):
        return Tense.PRESENT  # "They said that the ferry is on strike on Saturday"
    if past == future == -1:
        after = _SENTENCE_END.split(match.string[match.end() : match.end() + 80])[0]
        past, future = bool(_PAST.search(after)) - 1, bool(_FUTURE.search(after)) - 1
    return Tense.PRESENT if past == future else Tense.PAST if past > future else Tense.FUTURE


# "Signed up for the spring term in January", said in autumn: the month of what was arranged, if that is near, and not
# of the arranging.
_SIGNED_UP = re.compile(
    r"""
    \b(?:
        signed\ (?:(?:me|us|him|her|them|myself)\ )?up | enrolled | registered | entered | booked
        | reserved | (?:got|given|offered)\ an?\ (?:place|spot|slot|date|berth|appointment)
    )\b(?!\ yesterday|\ today|\ last)(?!
        [^.;]{0,40}\b(?:gym|club|membership|newsletter|app|site|account|service)\b
    )[^.;]{0,70}\ in\ $
    """,
    re.IGNORECASE | re.VERBOSE,
)


# Months: who signs up for something does so shortly before it, and for what is always open at once.
_SOON = range(1, 4)


def detect_tense_of_month(match: re.Match[str], known: Tense | None, ahead: int) -> Tense:
    """The tense of a month without a year that comes again in so many months."""
    is_arranged = ahead in _SOON and _SIGNED_UP.search(_read_words_before(match, 110)) is not None
    return Tense.FUTURE if is_arranged else detect_tense(match, known)


_DAYS_TO_DAYS = re.compile(
    r" (?:to|till|until|through) (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b(?! (?:this|next|coming) week\b)",
    re.IGNORECASE,
)
_DONE_WEEKLY = re.compile(
    r"""
    (?<!\bto\ )(?<!\bwill\ )(?<!\bcan\ )(?<!\bmust\ )(?<!ll\ )(?<!not\ )\b(?:
        works? | opens? | closes? | shuts? | teach(?:es)? | trains? | stud(?:y|ies) | volunteers? | commutes? | trades?
        | streams? | serves? | operates? | visits? | drives? | swims? | jogs? | cooks? | babysits? | minds? | delivers?
        | practi[cs]es? | attends? | cycles? | walks? | looks?\ after | cares?\ for | helps?\ out
        | (?:bus|train|ferry|tram|shuttle|service|line)\ runs | (?:buses|trains|ferries|trams|shuttles)\ run
    )\b[^.;,]{0,60}$
    # What a week is divided into: "My shifts are from Thursday to Sunday", "Her office hours run from".
    | \b(?:
        (?:shifts|hours|lessons|lectures|classes|seminars|workdays|working\ days|rehearsals)\ (?:are|run|go)
        | (?:shift|rota|timetable|working\ week|work\ week|week|weekend)\ (?:is|runs|goes)
    )\ (?:(?:now|always|usually|only|still|currently|mostly)\ )?$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_routine(match: re.Match[str]) -> bool:
    """Return whether "from Monday to Thursday" is said of every week: "I work from Monday to Thursday"."""
    text = match.string
    return (
        _DAYS_TO_DAYS.match(text, match.end()) is not None
        and _DONE_WEEKLY.search(text[: match.start()]) is not None
    )


def is_open(match: re.Match[str]) -> bool:
    """Return whether something was to be on the day: it may have been, or be still to come on another."""
    return _WAS_TO_BE.search(match.string[: match.start()]) is not None


# "My birthday is 4 June", "our anniversaries are 3 May and 9 July", "4 June is my birthday", "born on 4 June": of
# every year. A birthday party is on one day.
_YEARLY = r"(?:birthdays?|anniversar(?:y|ies)|name[ -]days?)"
_OF_EVERY_YEAR = re.compile(
    rf"\b(?:{_YEARLY}(?: (?:is|are|falls?|comes?)|'s|’s)?(?: always| every year)?"
    rf"|born)(?: on)? (?:the )?(?:[\w ]{{3,16}} and (?:the )?)?$",
    re.IGNORECASE,
)
_IS_OF_EVERY_YEAR = re.compile(
    rf"(?:st|nd|rd|th)?,? (?:is|are) (?:\w+(?:['’]s?)? ){{1,3}}{_YEARLY}(?! \w)", re.IGNORECASE
)


def is_yearly(match: re.Match[str]) -> bool:
    """Return whether the day is one that comes again each year, so that it is of no single one."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    return bool(_OF_EVERY_YEAR.search(before[-60:]) or _IS_OF_EVERY_YEAR.match(behind))
