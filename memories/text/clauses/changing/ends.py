"""How English says that something is over, was given up, or has another in its place, and what that was.

Sentences are in the third person, as the engine writes them. Groups: `who` is whom it is about, `what` the thing.
"""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
# What is liked may be liked after it is over; what is planned, denied or happened once is no state.
NO_STATE = re.compile(
    r"""
    \b(?:
        has | have | owns? | near | likes? | loves? | enjoys? | prefers? | hates? | wants? | plans?
        | hopes? | would | will | used\ to | not | never | no\ longer | without
    )\b
    | n't\b
    | \b(?:was|were|did|had|went|bought|met|saw|got|took|came|sold|gave|left|quit|(?!need\b)\w{3,}ed)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OWN = r"(?:(?:the|their|her|his) )"
_KIND_EN = r"(?P<what>[\w':-]+(?: [\w'-]+){0,3}?)"
MOVED = re.compile(
    r"\b(?:(?:switched|swapped|moved|transferred|changed|upgraded|promoted|gone back|went back"
    rf"|gone over|cut over)(?: \w+)?|(?:moved|switched|put|transferred|promoted|shifted|took"
    rf"|taken) the user(?: up| over| back| down)?)"
    rf" (?:to|on|onto) (?:the |an? |their )?{_KIND_EN}"
    r"(?= now\b|[,.;]| (?:in|on|at|by|since|from|last|because|and|but|this|with|for|instead)\b|$)",
    re.IGNORECASE,
)
# "Is on an electric wheel now": another thing of the kind.
USES_NOW = re.compile(
    r"^The user (?:now )?(?:is (?:now )?(?:on|in|at)|uses|wears|rides|plays|takes|gets|drinks|drives|works (?:on|with))"
    rf" (?:the |an? |their )?{_KIND_EN} (?:now|these days|nowadays|instead|from now on)\b"
)
# Whom a statement is about: the user, a relative, or somebody by name.
_WHO_EN = r"(?P<who>The user(?:'s [\w-]+(?: [A-Z][\w'-]+)?)?(?: and others)?|[A-Z][\w'-]+)"
_THING_EN = r"(?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?)"
_ANY_EN = r"(?P<what>(?:[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|[a-z][\w'-]*(?: [a-z][\w'-]*){0,2}?))"
_END_EN = (
    r"(?= (?:at|in|on|for|to|since|last|this|because|after|before|when|and|but|so|two|three|years?"
    r"|months?|yesterday|ago|though|too"
    r"|with|from|by|now|completely|altogether|entirely)\b|[,.;(]|$)"
)
_ADVERBS_EN = r"(?:has |have |had |also |finally |just |recently |now )*"
# What was given up, and what is not any more once it is sold: only a certain thing, "the van", never "a painting".
ENDED = (
    re.compile(
        rf"^{_WHO_EN} {_ADVERBS_EN}"
        rf"(?:(?:{_WORDS['gave_up']}|said goodbye to(?! (?:their|her|his) (?:{_WORDS['seen_off']})\b)) (?:on )?{_OWN}?"
        rf"|(?:{_WORDS['parted_with']}) {_OWN}){_THING_EN}{_END_EN}"
    ),
    # "Does not need the wheelchair any more".
    re.compile(
        rf"^{_WHO_EN} (?:does|do) not (?:need|use|wear|have|take) {_OWN}{_THING_EN} (?:any ?more|any longer)\b"
    ),
    # The particle behind the thing: "packed the trombone in", "traded the mower in for a robot".
    re.compile(
        rf"^{_WHO_EN} {_ADVERBS_EN}(?:(?:gave|given) {_OWN}{_ANY_EN} (?:up|away)|(?:packed|jacked"
        rf"|chucked|traded) {_OWN}{_ANY_EN.replace('what', 'what2')} in"
        rf"|(?:threw|thrown) {_OWN}{_ANY_EN.replace('what', 'what3')} (?:out|away))\b"
    ),
    # What ended by itself, of somebody or of the user: "Ana's braces came off", "The chemo is over".
    re.compile(
        r"""
        ^(?:
            The\ user's\  | The\ (?!user\b)
            | (?P<who>(?:The\ user's\ [a-z-]+(?:\ [A-Z]\w+)?|[A-Z][\w-]+))'s[ ]
        )(?P<what>[a-z][\w-]*(?:\ [a-z][\w-]*){0,2}?)\ (?:
            has\  | have\  | had\  | is\  | are\  | was\  | were\  | got\  | finally\  | now\  | all[ ]
            | been[ ]
        )*(?:
            over | finished | disbanded | folded(?!\ (?:down|up|out|over|in|away|back)\b)
            | behind\ (?:the\ user|them|her|him) | ended | wound\ up
            | (?:came|(?<=has\ )come|(?<=have\ )come|(?<=finally\ )come|(?<=now\ )come)[ ]
              (?:off|to\ an\ end)
            | cancelled | scrapped | sold | (?:closed|shut)(?:\ down)?\ (?:for\ good|permanently)
        )\b(?!\ (?:by|at(?!\ last)|to|the)\b)
        """,
        re.VERBOSE,
    ),
)
# "No more night shifts for me", "That's the last of the chemo": what is over, without a verb that says it.
NO_MORE = (
    re.compile(
        rf"(?:^|[,;] |\b(?:so|and) )(?:[Aa]nd |[Ss]o |[Ww]ell,? )*[Nn]o more {_THING_EN}(?: for "
        rf"(?P<who>the user|[A-Z][\w'-]+))?(?=[ ,.;!]|$)(?! for\b)"
    ),
    re.compile(
        rf"\b(?:[Tt]hat|[Tt]his|[Ii]t)(?:'s| is| was) (?:the (?:last|end) (?:of|for)|(?:it"
        rf"|goodbye) (?:for|with|to)) {_OWN}?{_THING_EN}{_END_EN}"
    ),
)
# "Made the last payment on the car loan", "The loan is paid off": nothing is paid any more.
PAID_OFF = (
    re.compile(
        rf"^{_WHO_EN} {_ADVERBS_EN}(?:paid off|cleared|settled|made the (?:last|final) payment (?:on"
        rf"|for)|finished paying(?: off| for)?) {_OWN}?{_THING_EN}{_END_EN}"
    ),
    re.compile(
        rf"^(?:The user's |The (?!user\b)){_THING_EN} (?:is|has been) (?:now |finally "
        rf"|all )*(?:paid off|cleared|settled)\b"
    ),
)
PAYS = re.compile(r"\b(?:is paying|pays?|owes?|has (?:got )?an?|is in) ")
# "Has not smoked since New Year": of who smoked until then, the verb tells.
NOT_DONE_SINCE = re.compile(
    rf"^{_WHO_EN} (?:has|have) (?:not|never) (?P<action>[a-z]{{3,}}ed) (?:at all )?since\b(?! then [a-z])"
)
# "Has lost their seat on the council".
LOST_PLACE = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:lost|gave up|given up|resigned) (?:the|their|her|his) (?:seat|place"
    rf"|post|spot|role) (?:on|in|at|with) {_OWN}?{_THING_EN}{_END_EN}"
)
# "Has broken it off with Ryan": nobody is engaged to him any more.
PARTED_WITH = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:broken it off|broke it off|broken up|broke up|split up"
    rf"|finished) with (?P<name>[A-Z][\w'-]+)"
)
COUPLE = re.compile(
    r"\b(?:engaged|dating|going out|seeing|together with|boyfriend|girlfriend|fianc[ée]+|partner)\b"
)
# "Catches the 6:52 these days": the train or bus at one time in the place of another.
CATCHES = re.compile(
    rf"^{_WHO_EN} (?:now )?(?:takes?|catch(?:es)?|gets?|is on) the (?P<at>\d{{1,2}}[:.]\d\d)\b"
)
# "Is on the lorries now and not the forklift": what stands behind "not" is over.
AND_NOT = re.compile(
    rf"^{_WHO_EN} (?=[^.]*\b(?:now|these days|nowadays)\b)[^.]*?(?:,| and) not (?:(?:on|in|at"
    rf"|with) )?(?:the |their )?{_THING_EN}(?: any ?more)?[.]?$"
)
# "Jonah has moved to St Edmund's": he is at no other school, ward or firm.
MOVED_TO_NAME = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:moved|switched|changed|transferred)(?: over)? to (?P<place>(?:the "
    rf")?[A-Z][\w.'-]*(?: [A-Z][\w.'-]*)*)(?=[ ,.;]|$)"
)
INSTITUTION = re.compile(
    r"""
    ^(?:the\ )?(?:St\.?|Saint|Our\ Lady)[ ]
    | (?:'s|School|Academy|College|Primary|High|Grammar|University|Hospital|Clinic|Surgery)$
    """,
    re.VERBOSE,
)
BELONGS_AT = re.compile(
    r"""
    \ (?:is|goes|teaches|works|studies|trains|plays|swims|sings|learns)\ (?:[^,.;]*?\ )?(?:at|in|to|for)[ ]
    (?P<place>(?:the\ )?[A-Z][\w.'-]*(?:\ [A-Z][\w.'-]*)*)
    """,
    re.VERBOSE,
)
# "Can eat grapefruit again" and "cannot eat grapefruit because of …".
CAN_AGAIN = re.compile(
    rf"^{_WHO_EN} (?:can|is allowed to|is able to) (?:now )?(?P<action>[a-z]+(?: [a-z]+){{0,3}}?) (?:again|now)\b"
)
# "Has taken up rowing instead of swimming" is said of more than a day.
TAKEN_UP = re.compile(r"\b(?:(?:has|have) (?:taken up|started|gone over to|switched to)|took up)\b")
# Only what is done for a time is finished: "has finished the course" ends "is doing a course".
FINISHED = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:finished|completed|dropped|graduated from) (?:with )?{_OWN}?{_THING_EN}{_END_EN}"
)
IN_PROGRESS = re.compile(
    r"\bis (?:[a-z]+ly )?[a-z]+ing\b|\bhas (?:physio\w*|\w+therapy|treatment|\w+ lessons|\w+ classes)\b"
)
# "Has not been on the train since" says that it was a habit until then; "has not run a marathon since 2019" says
# nothing of the kind, but who has not had coffee since then drinks none.
NOT_SINCE = re.compile(
    rf"^{_WHO_EN} (?:has|have) (?:not|never)"
    r" (?:been|had|done|gone|taken|used|touched|driven|ridden|eaten|drunk|drank|played|worn)"
    rf"(?: (?:on|to|in|at|near))?(?: (?:the|their|her|his|any|a))? {_THING_EN} since(?: then)?(?=[,.;]|$)"
)
NOT_HAD_SINCE = re.compile(
    rf"^{_WHO_EN} (?:has|have) not (?:had|touched|eaten|drunk|drank|smoked|used|taken)(?: (?:the|their"
    rf"|any|an?))? {_THING_EN} since\b"
)
TAKEN_OFF = re.compile(
    rf"\b(?:took|(?:has|have|'ve|'s) taken) (?P<who>the user|[A-Z][\w'-]+) off {_OWN}?{_THING_EN}"
    r"(?= (?:in|on|at|last|this|because|and|but|so)\b|[,.;]|$)"
)
# What stands in the place of another thing names that, too: "swapped the oboe for a bass", "oats in place of bread".
EXCHANGED = (
    re.compile(
        rf"^{_WHO_EN} (?:has |have |had |also |finally |just |recently )*(?:"
        r"(?:swapped|traded|exchanged|replaced|ditched|dropped|left|gave up|given up) (?:(?:the|their|her|his|an?) )?"
        r"|(?:switched|changed|moved|gone|went)(?: over)? from (?:(?:the|their|her|his|an?) )?)"
        rf"{_ANY_EN}(?: in| out)? (?:for|with|by|to|in favou?r of) "
    ),
    re.compile(
        rf"^{_WHO_EN} {_ADVERBS_EN}(?:switched|changed|moved|gone"
        rf"|went)(?: over)? to [\w' -]{{2,40}}? from (?:(?:the|their|her|his|an?) )?{_ANY_EN}{_END_EN}"
    ),
)
IN_PLACE = re.compile(
    rf"^{_WHO_EN} [^.]*\b(?:in place of|instead of|rather than) (?:(?:the|their|her|his|an?) )?{_ANY_EN}"
    r"(?= (?:now|since|from|because|and|but|so|at|in|on|for|to|these)\b|[,.;]|$)"
)
# "On a pink inhaler instead of the brown one": one of that kind.
INSTEAD_OF_ONE = re.compile(
    r"""
    \b(?:the\ user|The\ user)\b[^.]*?\ (?:on|to|with|an?)\ (?:an?\ |the\ )?(?:[\w-]+\ )?(?P<kind>[a-z-]+)
    \ (?:instead\ of|rather\ than|in\ place\ of)\ the\ (?P<mark>[a-z-]+)\ one\b
    """,
    re.VERBOSE,
)
# "Changed banks": whatever bank it was.
CHANGED_KIND = re.compile(
    rf"^{_WHO_EN}(?:'s)? (?:has |have |just |also |finally |recently )*(?:changed|switched|swapped)"
    r" (?P<what>[a-z]{3,}s)\b(?! (?:to|from|with|for)\b)"
)
ATTENDS = re.compile(r"\b(?:goes to|attends|is at|studies at)(?= (?:the )?[A-Z])")
SCHOOLS = frozenset("schools colleges universities nurseries kindergartens".split())
# Who has taken something over from whom, and what somebody has handed over: of that the other was in charge.
TAKEN_OVER = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:taken|took) (?:over(?: {_OWN}(?P<thing>[a-z][\w-]*(?: "
    rf"[a-z][\w-]*)?))?|{_OWN}(?P<thing2>[a-z][\w-]*(?: [a-z][\w-]*)?) over)"
    r"(?: from (?P<from>the user|(?:the user's [\w-]+)|[A-Z][\w-]+))?(?: as (?:the "
    r")?(?P<role>[a-z][\w-]*))?(?=[ ,.;(]|$)"
)
HANDED_OVER = re.compile(
    rf"^{_WHO_EN} {_ADVERBS_EN}(?:(?:handed|passed) (?:over|on) {_OWN}{_THING_EN}|(?:handed|passed|gave"
    rf"|given) {_OWN}(?P<what2>[a-z][\w'-]*(?: [a-z][\w'-]*){{0,2}}?) (?:over|on|up))"
    r"(?= to\b|[,.;]|$)"
)
IN_CHARGE = re.compile(
    r"""
    \b(?:
        runs? | leads? | manages? | chairs? | captains? | conducts? | coach(?:es)? | organi[sz]es?
        | edits? | directs? | heads? | keeps? | does | do | hosts? | owns? | looks?\ after
        | takes?\ care\ of | is\ (?:in\ charge\ of|responsible\ for|the) | is\ [a-z-]+\ (?:of|at|for)
    )\b
    """,
    re.VERBOSE,
)
# Who has moved out is nobody that one lives with.
LEFT_HOME = re.compile(
    r"""
    ^(?P<who>[A-Z][\w-]+)\ (?:has\ |have\ |just\ |finally\ |now\ )*(?:
        moved\ (?:
            out(?!\ of\ (?!the\ (?:flat|house|place|apartment|annexe?|room|home)\b))
            | away(?!\ from\ (?!home\b))
        )\b
        | (?:got\ |found\ |moved\ into\ )?(?:his|her|their)\ own\ (?:flat|place|house|home|apartment)\b
        | (?:gone|went|moved)\ back\ to\ (?:live\ with\ )?(?:his|her|their)[ ]
          (?:mum|mom|mother|dad|father|parents|family|husband|wife)\b
    )
    """,
    re.VERBOSE,
)
SHARES_HOME = re.compile(
    r"""
    \b(?:
        is\ staying\ with\ the\ user | has\ an?\ [\w -]*?(?:lodger|flatmate|roommate|housemate|tenant)
        | lives?\ with | shares?\ an?\ (?:[\w-]+\ )?(?:flat|house|home|place|room|apartment)
    )\b
    """,
    re.VERBOSE,
)
UNIT = re.compile(
    r"""
    ^The\ user\ (?:is|works)\ [^.]*\b(?:on|in|at)\ (?:the\ |an?\ |their\ )?(?:[\w-]+\ ){0,2}(?:
        ward | unit | department | team | section | crew | desk | line | branch | office | floor
    )\b
    """,
    re.VERBOSE,
)
TO_UNIT = re.compile(
    r"""
    ^The\ user\ (?:has\ |just\ |was\ |got\ )*transferred\ (?:over\ )?to\ (?!an?\ new\b)
    (?P<what>[\w' -]{3,30}?)(?=\ in\b|\ on\b|\ last\b|[,.;]|$)
    """,
    re.VERBOSE,
)
# What is for a while ends nothing.
PASSING = re.compile(
    r"""
    \b(?:
        today | tonight | this\ (?:week|weekend|fortnight|morning|afternoon|evening|once|time)
        | temporarily | for\ now | for\ the\ (?:day|night|week|weekend) | until | till
        | for\ (?:an?|two|three|\d+|a\ few|a\ couple\ of)[ ]
          (?:day|night|week|weekend|fortnight|month|while|bit)s?
    )\b
    """,
    re.VERBOSE,
)
