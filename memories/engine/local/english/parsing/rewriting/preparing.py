"""Make a sentence ready for the parser, and find which sentences say something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memories.engine.local.english.changes.corrections import find_day_of_month
from memories.engine.local.english.parsing.message import MessageLine
from memories.engine.local.english.parsing.rewriting.ellipsis import BARE_FACT, say_in_order
from memories.engine.local.english.parsing.rewriting.left_out_marks import with_apostrophes
from memories.engine.local.english.parsing.rewriting.openers import remove_openers, with_full_verbs
from memories.engine.local.english.parsing.shared_subjects import with_subject_or_please
from memories.text.clauses import statements
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.stated_values import StatedValue, find_values
from memories.text.en.third_person import expand_contractions, lower_shouting
from memories.text.en.verbs import PAST, with_subject
from memories.text.time.dates import MONTHS
from memories.text.time.moved_english import with_month_of_start
from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# Longer sentences are no sentences: they are quoted in windows, and not parsed.
_LONGEST_PARSED_WORDS = 90


def prepare_line(line: MessageLine) -> MessageLine:
    """The line without what carries nothing, and beside it as it was said."""
    sentence = lower_shouting(line.text)
    if introduced := _INTRODUCED.match(sentence):
        sentence = f"My name is {next(filter(None, introduced.groups()))}."
    sentence = _remove_slip(_remove_label(sentence))
    text = with_full_verbs(with_apostrophes(with_month_of_start(remove_openers(sentence))))
    text = NOW.sub("", _NOW_AT_END.sub(r"\g<now>; ", text))
    text = _BEEN.sub(r"\g<who>\g<said>, I have been ", text)
    text = say_in_order(with_subject_or_please(text))
    for name in (_NAME_BESIDE, _NAME_BEFORE_AND):
        text = name.sub(r"\g<who> \g<name> ", text)
    text = _NAMED_FIRST.sub(_name_behind_verb, text)
    text = _NO_LONGER_LIKE.sub(r"\g<who> do not like \g<what> any more", text)
    text = _SMALL_NAME.sub(lambda match: match[0].capitalize(), text)
    text = _OWN_ONE.sub(lambda match: f"my {match['who'].lower()}", _MYSELF.sub(r"I am \g<name>", text))
    text = _OWN_KIN.sub(lambda match: f"my {match['kin'].lower()}", _HAD.sub(_put_subject, text))
    text = _NEW_ONE.sub(r"I have got a new \g<what>, \g<value>", text)
    text = _MY_OWN.sub(r"\g<my> ", text)
    text = _VERB_LIKE_PLURAL.sub(r"\g<0>also ", text)
    text = BARE_FACT.sub(lambda match: f"my {match[0][0].lower()}{match[0][1:]}", text)
    if _LEAVES_OUT_SUBJECT.match(text):
        text = with_subject(text)
    return replace(line, text=text, whole=sentence)


# "Hello, Merrick here."
_GREETING = r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|morning|evening)(?: there| again| all)?"
_NAME = r"(?-i:[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)"
_INTRODUCED = re.compile(
    rf"^{_GREETING}[,!. ]+ ?(?:(?P<here>{_NAME}) here|(?:this|it) is (?P<this>{_NAME})"
    rf"|it's (?P<its>{_NAME}))(?: again)?[.!]*$"
    rf"|^(?P<its_is>{_NAME}) speaking[.!]*$",
    re.IGNORECASE,
)
# "My team lead, Priya, moved": the parser may take the noun before a comma for a verb.
_NAME_BESIDE = re.compile(
    rf"\b(?P<who>(?:[Mm]y|[Oo]ur) (?:[a-z]+[ -]){{0,2}}[a-z]+), (?P<name>{_NAME}), (?=[a-z])"
    r"(?!(?:and|or|but|nor|who|whom|which|though|although|not|in|on|at|with|from|for|to|of|so|because|when|if|then) )"
)
# "My sister, Ana, and I share a flat": the two of them, and no third.
_NAME_BEFORE_AND = re.compile(
    rf"^(?P<who>(?:[Mm]y|[Oo]ur) [a-z]+), (?P<name>{_NAME}), (?=and (?:I|my|our|his|her|their)\b)"
)
# "No courgettes, I can't stand them": what "they" are stands before it.
_NAMED_FIRST = re.compile(
    r"""
    ^(?:(?:just\ |but\ |and\ )?no\ (?:more\ )?)?(?P<what>
        (?!(?:[a-z-]+\ ){1,2}(?:was|were|am|has|have|had|do|does|did|can|will|would)\b)[a-z][a-z-]*
        (?:\ [a-z][a-z-]*){0,2}?
    )(?:\ (?:is|are)\ (?:fine|ok|okay|good|great|cool|nice|lovely|awful|out|off|all\ right|alright))?
    (?:,?\ please)?(?:,|\ [–—-])\ ?(?P<who>I|we)\ (?P<verb>
        (?:really\ |absolutely\ |just\ |still\ )?(?:
            can't\ (?:stand|bear|eat|have) | cannot\ (?:stand|bear|eat|have) | hate | love | like | adore
            | dislike | detest | loathe | don't\ (?:like|eat|drink)
        )
    )\ (?:it|them|those|that)(?=[.!,;]|$)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _name_behind_verb(match: re.Match[str]) -> str:
    """A noun that began the sentence is no name, though it had a capital."""
    what = match["what"]
    return f"{match['who']} {match['verb']} {what[0].lower()}{what[1:]}"


# "My son is a nurse and sails at weekends": nothing is one thing and many, but the parser takes the verb for a noun,
# unless an adverb stands before it.
_VERB_LIKE_PLURAL = re.compile(
    r"""
    ^(?:(?:my|our|his|her|their|the)\ (?:[\w'’-]+\ ){0,2}[\w-]+|he|she|it|(?-i:[A-Z])[\w-]+)
    (?:\ is|\ was|['’]s)\ an?\ (?:(?!(?:of|for|with|in|to|at|on|from|by|and)\b)[\w-]+\ ){1,4}and\ (?=
        [a-z]{2,}s(?:
            \ (?:
                in | at | on | to | for | with | from | by | around | across | every | each | most | when
                | her | his | their | my | our | the | an? | all | part-time
            )\b
            | [.,;!] | $
        )
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


# "New 5k PB: 20:58!", "New locker, 142": what people report as in a note.
_NEW_ONE = re.compile(
    r"""
    ^New\ (?P<what>
        (?:[\w-]+\ ){0,2}(?:
            PB | PR | personal\ best | locker | badge | desk | office | room | berth | mooring | plot
            | pitch | stall | seat | (?:phone\ |badge\ |staff\ |account\ )?number | address | postcode
            | call\ ?sign | extension | email
        )
    )(?:,|:|\ is|'s|\ -|\ –)?\ (?:of\ )?(?P<value>(?=[A-Z\d])[^;:?!]{1,40}(?::\d\d)?)[.!]*$
    """,
    re.VERBOSE,
)
# The parser takes "like" behind an adverb for a preposition.
_NO_LONGER_LIKE = re.compile(r"\b(?P<who>I|we) no longer like (?P<what>[^,.;!?]+)", re.IGNORECASE)
# What is said is so now: "Now I live in Oslo".
NOW = re.compile(
    r"^(?:now|nowadays|currently|these days|right now|at the moment),? (?=(?:I|we|my|our|he|she|they|it)\b)",
    re.IGNORECASE,
)
# The parser would take it for the beginning of the next clause.
_NOW_AT_END = re.compile(
    r"(?<=[\w'’] )(?P<now>now|nowadays|these days), (?=(?:I|we|my|our|he|she|they|his|her|it|the)\b)"
)
# "I'm a joiner in Hull, been doing it 14 years".
_BEEN = re.compile(r"^(?P<who>I(?:'m|'ve| am| have| \w+)\b)(?P<said>[^.;!?,]*), been (?=[a-z])")
# Forms of the past that open no sentence without a subject, or that are those of the present too.
_NO_OPENING = frozenset("had was were did let put set cut cost hit shut spread read".split())
_LEAVES_OUT_SUBJECT = re.compile(
    rf"(?:{'|'.join(sorted(PAST - _NO_OPENING))}|[a-z]{{3,}}ed)\b", re.IGNORECASE
)


_HAD = re.compile(
    r"^(?P<when>(?:only )?(?:just|finally|already|also) )?had "
    r"(?!(?:I|you|we|he|she|it|they|there)\b)(?!(?:my|our|the)\b.*(?:\?|\b(?:would|could|might)\b))",
    re.IGNORECASE,
)


def _put_subject(had: re.Match[str]) -> str:
    return f"I {(had['when'] or '').lower()}had "


# Who says "Mum" without an owner means their own.
_OWN_KIN = re.compile(
    r"""
    (?:
        (?<=^) | (?<=[,;]\ ) | (?<=\band\ ) | (?<=\bbut\ ) | (?<=\bbecause\ ) | (?<=\bwith\ )
        | (?<=\bfor\ ) | (?<=\bto\ )
    )(?P<kin>Mum|Mom|Mummy|Mam|Dad|Daddy|Gran|Grandma|Granny|Nan|Nana|Grandad|Grandpa)
    (?=(?:'s)?\ [a-z]|[.,;!]|$)(?!,\ [A-Z])
    """,
    re.VERBOSE,
)
# "On monday", "moved to york in may": names of days, and of months where a preposition stands before them.
_SMALL_MONTH = "|".join(month.lower() for month in MONTHS if month != "May")
_SMALL_NAME = re.compile(
    rf"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
    rf"|(?:(?<=\b[Ii]n )|(?<=\bsince )|(?<=\buntil ))(?:{_SMALL_MONTH}|may)"
    rf"|(?:(?<=\btill )|(?<=\b[Ll]ast )|(?<=\b[Nn]ext )|(?<=\b[Tt]his ))(?:{_SMALL_MONTH}))\b"
)
# "Hubby works nights", "boss wants the report": the same of whom or what one has one of, where a verb follows.
_OWN_ONE = re.compile(
    rf"^(?P<who>{_WORDS['own_ones']})(?=(?:'s)? (?:{_WORDS['verbs_of_own_ones']})\b)(?!.*\?)", re.IGNORECASE
)
# "Myself Raghav, I work in Pune": so people in India introduce themselves.
_MYSELF = re.compile(rf"^(?-i:[Mm]yself) (?P<name>{_NAME})(?=,|[.!]| from | here|$)")
# "My own daughter" is "my daughter" to those who read it later.
_MY_OWN = re.compile(
    r"""
    \b(?P<my>my|our)\ own\ (?=
        (?:
            son | daughter | kid | child | children | kids | mum | mom | mother | dad | father | brother
            | sister | husband | wife | parents | gran | nan | family | boy | girl
        )\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LABEL = re.compile(r"^(?P<label>[A-Za-z][^:.!?\d]{2,60}):\s+(?P<rest>[A-Za-z].+)$")
_LABEL_WORDS = re.compile(
    r"""
    \b(?:
        note | intro | introduction | background | update | reminder | fyi | heads\ up | context
        | completeness | disclaimer | keep\ this | remember | about\ me | news | correction
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _remove_label(sentence: str) -> str:
    """Without what only announces the statement: "A bit of background: I'm a nurse"."""
    match = _LABEL.match(sentence)
    if not match or len(match["label"].split()) > 9:
        return sentence
    is_phrase = len(match["label"].split()) > 2
    announces = (is_phrase and has_subject_and_verb(match["rest"])) or bool(
        _LABEL_WORDS.search(match["label"])
    )
    return match["rest"] if announces and not statements.is_request(match["label"], "en") else sentence


_HESITATION = (
    r"(?:no|wait|sorry|oops|actually|hang on|hold on|I mean|make that|(?:scratch|scrap|strike) that"
    r"|or rather|rather)"
)
_MEANT_DAY = re.compile(r"(?:on )?(?:the )?(?P<day>\d{1,2}(?:st|nd|rd|th))\b(?! (?:of )?[A-Z])")
_SLIP = re.compile(
    rf"(?:,|;|\.{{2,3}}| ?[–—-]+) ?{_HESITATION}(?:[, ]+{_HESITATION})*[,:]? (?=\S)", re.IGNORECASE
)
# "Rehearsals are on Tuesdays, no sorry, they moved them to Wednesdays".
_MOVED_TO = re.compile(
    r"""
    ^(?:they|we|he|she|I|it|that)(?:'s|'ve|\ has|\ have|\ had|\ was|\ were|\ is|\ are)?\ ?(?:been\ )?
    (?:moved|changed|switched|pushed|put|rescheduled)(?:\ back|\ forward)?\ (?:(?:it|them|that|those)\ )?
    (?:to|until|till)\ (?=\S)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SCORE = re.compile(r"\d{1,3}(?: ?[-–:] ?\d{1,3})+")
# "Friday the 4th, scratch that, Monday the 7th": the day of the month goes with that of the week.
_DAY_BEHIND = re.compile(r",? the [0-3]?\d(?:st|nd|rd|th)\b")
# Among so many last values is the wrong one: "on Thursday at three, no wait, Tuesday".
_LAST_VALUES = 2
# What may stand before the value that is meant.
_BEFORE_VALUE = 12


def _remove_slip(sentence: str) -> str:
    """The sentence with the value that is meant: "400 a month, no, hang on, 450 since May" is "450 a month since
    May"."""
    if not (slip := _SLIP.search(sentence)) or re.match(r"(?:no,? )?not\b", sentence, re.IGNORECASE):
        return sentence
    before, behind = sentence[: slip.start()], _MOVED_TO.sub("", sentence[slip.end() :], count=1)
    meant = next(iter(find_values(behind)), None)
    wrong = find_values(before)
    day, wrong_day = _MEANT_DAY.match(behind), find_day_of_month(before)
    if day and wrong_day:
        at = before.rindex(wrong_day)
        return f"{before[:at]}{day['day']}{before[at + len(wrong_day) :]}{behind[day.end() :]}"
    if (score := _SCORE.match(behind)) and (scores := list(_SCORE.finditer(before))):
        at, end = scores[-1].span()
        return f"{before[:at]}{score[0]}{before[end:]}{behind[score.end() :]}"
    rivals = [place for place, value in enumerate(wrong) if meant and meant.is_rival_of(value)]
    if (
        meant is None
        or not rivals[-1:]
        or meant.start > _BEFORE_VALUE
        or len(wrong) - rivals[-1] > _LAST_VALUES
    ):
        return _with_other_name(before, behind) or sentence
    start, end = _list_around(before, wrong, rivals[-1])
    _, right_end = _list_around(behind, find_values(behind), 0)
    if number := _DAY_BEHIND.match(before, end):
        end = number.end()
        right_end = later.end() if (later := _DAY_BEHIND.match(behind, right_end)) else right_end
    right, rest = behind[meant.start : right_end], behind[right_end:]
    unit = before[end:]
    if unit.strip() and rest.lower().startswith(unit.lower()):
        rest = rest[len(unit) :]
    return f"{before[:start]}{right}{unit}{rest}"


# A name, and what may lead to it: "from Eindhoven", "with my aunt Rosa", "at the Bellmore".
_LEADS = r"(?:from|to|in|at|near|with|by|for|of|on|is|are|was|were|called|named)"
_LED_NAME = re.compile(rf"(?:\b{_LEADS} )?(?:(?:the|my|our) (?:[a-z]+ )?)?(?P<name>{_NAME})$")
_OTHER_NAME = re.compile(
    rf"(?:it's |{_LEADS} )?(?:(?:the|my|our) (?:[a-z]+ )?)?(?P<name>{_NAME})(?=[,.;!?]|$| (?:on|at|in"
    rf"|from|to|for|since|until|and)\b)"
)


# So far before the slip its name begins, with what leads to it.
_LONGEST_NAME = 80


def _with_other_name(before: str, behind: str) -> str:
    """The sentence with the name that is meant: "from Eindhoven, no wait, Weeze"; "" where no name stands for
    another."""
    wrong = _LED_NAME.search(before, max(0, len(before) - _LONGEST_NAME))
    right = _OTHER_NAME.match(behind)
    if wrong is None or right is None or not wrong.start("name"):
        return ""
    return f"{before[: wrong.start('name')]}{right['name']}{behind[right.end() :]}"


def _list_around(text: str, values: Sequence[StatedValue], at: int) -> tuple[int, int]:
    """List where the list of values of one sort begins and ends that the value at this place belongs to."""
    first = last = at
    while first and _are_listed(text, values[first - 1], values[first]):
        first -= 1
    while last + 1 < len(values) and _are_listed(text, values[last], values[last + 1]):
        last += 1
    return values[first].start, values[last].end


def _are_listed(text: str, value: StatedValue, next_one: StatedValue) -> bool:
    between = text[value.end : next_one.start]
    return value.sort == next_one.sort and bool(_BETWEEN_LISTED.fullmatch(between))


_BETWEEN_LISTED = re.compile(r"s?(?: ?, ?| ?& ?|,? (?:and|or) )")


def is_parsed(text: str) -> bool:
    return len(text.split()) <= _LONGEST_PARSED_WORDS and len(text) <= 8 * _LONGEST_PARSED_WORDS


# "Rory's allergic to eggs", "Ana has moved": said of somebody by name, and asking for nothing.
_OF_NAMED = re.compile(
    r"""
    (?!(?:What|Who|Where|When|How|Why|Which|That|There|Here|It|This|Let)\b)[A-Z][a-z]+(?:
        ['’]s | \ is | \ has | \ was | \ hates | \ loves | \ likes | \ needs | \ wants | \ can['’]t
        | \ cannot | \ won['’]t | \ doesn['’]t
    )\ (?!.*\?)\w
    """,
    re.VERBOSE,
)


def has_subject_and_verb(text: str) -> bool:
    """Return whether a text has a subject and a verb, as statements do."""
    return bool(
        re.match(
            r"(?:I|we)(?:'\w+)? \w|(?:my|our|his|her|their|the) [\w' -]{1,40}? (?:is|are|was|were|has"
            r"|have|had|\w+(?:ed|es|[^s\W]s)) |(?:he|she|they|it)(?:'\w+)? \w",
            text,
            re.IGNORECASE,
        )
    )


def has_name_and_verb(text: str) -> bool:
    """The same, where a name may be the subject."""
    return has_subject_and_verb(text) or _OF_NAMED.match(text) is not None


_THEN_ASKED = re.compile(
    r"""
    ^(?P<said>
        (?!(?:I|we)(?:\ \w+)?\ (?:wonder|wondering|know|think|guess|suppose|mean|see|hope)\w*\b)(?:
            I | I'\w+ | we | we'\w+ | my | our
            | (?-i:
                  (?!
                      (?:
                          What | Who | Where | When | How | Why | Which | That | There | Here | It | This
                          | Let | If | Is | Are | Do | Does | Can
                      )\b
                  )[A-Z][a-z]+
              )(?:'s|\ is|\ has|\ hates|\ loves|\ likes|\ can't|\ won't|\ needs)
        )\ [^?]{3,120}?
    )(?:,?\ so,?|,|\ [-–—])\ (?P<asked>
        (?:can|could|would|will|do|does|what|how|where|which|should|is|are|any)\b\ [^?]*\?
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def split_statement_and_question(text: str) -> tuple[str, str] | None:
    """Return what somebody says of themselves before they ask: "I'm left-handed, can you show me the steps?"; else
    none."""
    match = _THEN_ASKED.match(text)
    return (f"{match['said']}.", match["asked"]) if match else None


# "As a vegan I struggle to find cheese" says what the user is, too.
AS_SOMEBODY = re.compile(
    r"^(?:as|being) (?P<what>an? [\w' -]{2,60}?),? (?P<rest>(?:I|we|my|our)(?:'\w+)? .+)$", re.IGNORECASE
)
_NOTHING = re.compile(
    rf"""
    ^(?:I|we)\ (?:\w+\ ){{0,2}}(?:it|that|this|them|so|too|do|did|am|will|can|not|you)[.!]*$
    | ^see\ https?:\S+$
    | ^(?:that|this|it)(?:'s|\ (?:{_WORDS["remark_verbs"]}))\b(?:\ (?:{_WORDS["remarks"]}))*$
    | ^(?:I|we)(?:'ll|\ will)\ (?:go\ with|take|get|have)\ (?:that|this|it)(?:\ one)?[.!]*$
    | ^(?:I|we)(?:'ll|\ will)\ (?:{_WORDS["next_steps"]})(?:\ (?:{_WORDS["behind_next_steps"]}))*$
    | ^(?:I|we)\ (?:{_WORDS["notes"]})\b.{{0,12}}$
    | ^talk\ (?:to\ you\ )?(?:later|soon|tomorrow)\b | ^see\ you\b
    | ^(?:I|we)(?:'m|\ am)\ (?:not\ sure|just\ (?:asking|curious|wondering|kidding|joking))\b.{{0,30}}$
    | ^(?:I|we)\ (?:just\ )?mean$ | ^I\ (?:just\ )?(?:mixed|got)\ (?:that|it|them|those)\ (?:up|wrong)$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def says_nothing(piece: str) -> bool:
    bare = piece.rstrip(" .!")
    if is_courtesy(piece) or _NOTHING.match(bare):
        return True
    return "'" in bare and bool(_NOTHING.match(expand_contractions(bare)))
