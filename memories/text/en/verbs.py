"""What the English rewriting must know about verbs."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "verbs")

# Forms that stay as they are behind "the user": the past of irregular verbs, and modals.
PAST = frozenset(
    """was were had did went got took came saw met made bought began left found felt told said won lost ran gave ate
    wrote sold spent heard flew drove broke grew kept held became brought taught thought knew fell chose built caught
    dealt drank drew fought forgot forgave froze hung hid laid led lent lay lit meant paid rode rang rose sang sank sat
    shot showed shook slept spoke stole stood swam swore threw understood upset woke wore wound withdrew dreamt learnt
    burnt undertook overcame sent stuck struck swept sought bit blew dug fed fled quit cut hit hurt put set let shut
    spread split bet beat cost burst
    rewrote rebuilt redid remade resold repaid rewound outgrew outran overtook overheard undid unwound mistook wove
    shrank""".split()
)
MODALS = frozenset("will would can could should shall may might must cannot ought used does".split())
_ENDS_LIKE_PAST = frozenset(
    "need feed bleed breed speed succeed proceed exceed embed weed seed heed shed".split()
)
# Adverbs are made of adjectives with "-ly" every day. What else ends so is a closed class: verbs, nouns, names, and
# adjectives that are made of nouns.
_ENDS_LIKE_ADVERB = frozenset(
    """apply bully comply dally fly imply misapply multiply outfly oversupply ply rally reapply rely reply resupply
    sully supply tally
    ally anomaly assembly belly bialy brolly butterfly disassembly doily dolly dragonfly duopoly family filly
    firefly folly gully hillbilly holly homily jelly lily mayfly melancholy monopoly oligopoly panoply potbelly
    subassembly underbelly
    beverly billy carly emily everly italy july kelly kimberly milly molly nelly philly polly sally shelly sicily
    thessaly tilly willy
    beastly brotherly bubbly burly chilly comely costly cowardly crumbly cuddly curly deadly disorderly earthly
    elderly fatherly friendly frilly ghastly ghostly gnarly grisly heavenly hilly holy homely jolly leisurely lively
    lonely lovely manly measly miserly motherly neighborly neighbourly oily orderly portly prickly princely saintly
    scholarly seemly shapely sickly silly sisterly smelly sprightly stately surly timely ugly unfriendly unholy
    unruly unseemly untimely unworldly wily wobbly womanly woolly worldly wrinkly""".split()
)
ADVERBS = frozenset(
    """also just still always never often sometimes currently now even only both all too usually mostly already ever
    soon almost nearly rather quite seldom maybe perhaps kinda sort kind of then once again thus therefore either
    myself personally no longer not""".split()
)
# Base forms that are not nouns in everyday talk, so that "and work" may become "and works".
BASE = frozenset(
    """
        live work love like play enjoy hate prefer run study teach drive own have go eat drink read
        write speak learn use want need think know feel make take get keep try help sleep travel
        visit watch listen cook bake swim hike cycle ski dance sing paint draw collect spend buy
        sell save manage lead support build design develop program code avoid dislike follow believe
        hope plan wish dream care look stay come walk ride practice practise train meditate
        volunteer garden fish hunt sew knit exercise attend belong suffer commute share rent wake
        start finish see wear weigh report order smoke jog lift box skate surf climb camp foster
        breed brew
    """.split()
)
# Words that end like a participle or a past and are none as the first word of a sentence: no "I" was left out there.
# "Shed ten pounds" is a past.
STARTS_LIKE_NO_VERB = (_ENDS_LIKE_PAST - {"shed"}) | frozenset(
    """morning evening nothing something everything anything king thing spring beijing nanjing chongqing during
    according including considering interesting amazing boring regarding concerning depending assuming wing ring sing
    bring string sting wedding building meeting red bed indeed hundred sacred wicked naked kindred supposed united
    breaking being""".split()
)
_SUBJECT_FOLLOWS = re.compile(
    r"^\S+(?: \S+){0,3} (?:is|are|was|were|makes?|helps?|can|has|have|will|would|feels?|takes?)\b"
    # "Lambing starts on April 10th", "Moving costs a lot": what is done stands before the verb.
    r"|^[A-Za-z]+ing (?:starts|begins|ends|finishes|resumes|opens|closes|runs|costs|comes|goes|keeps|gets|gives"
    r"|calms|means)\b"
)
_ADJECTIVES = re.compile(rf"^(?:not (?:really )?)?(?:{_WORDS['adjectives']})\b", re.IGNORECASE)
_UNDERGONE = re.compile(
    rf"""
    ^(?:(?:just|finally|recently|also|only)\ )?(?:{_WORDS["undergone"]})(?=
        \ (?:
            in | on | at | by | with | as | to | from | back | when | after | before | during | last
            | this | yesterday | today | again | about | around
            | (?:an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)[ ]
              (?:days?|weeks?|months?|years?|decades?)
        )\b
        | [,.!] | $
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BARE_VERB = re.compile(
    rf"^(?:(?:{_WORDS['before_verb']}) )*(?:{_WORDS['bare_verbs']})\b(?! (?:is|are|was)\b)", re.IGNORECASE
)


def inflect_third_person(verb: str) -> str:
    """The form behind "the user" for the form behind "I"."""
    word = verb.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not is_base(word):
        return verb
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return verb + "es"
    return verb[:-1] + "ies" if re.search("[^aeiou]y$", word) else verb + "s"


_IRREGULAR = {"am": "is", "are": "is", "have": "has", "do": "does", "were": "was", "go": "goes"}


def is_base(word: str) -> bool:
    """Return whether a word behind "I" is a present form that needs an ending."""
    if word in PAST or word in MODALS or not word.isalpha():
        return False
    return not word.endswith("ed") or word in _ENDS_LIKE_PAST


PLURAL_FORMS = {
    "is": "are",
    "was": "were",
    "has": "have",
    "does": "do",
    "isn't": "aren't",
    "wasn't": "weren't",
}
PLURAL_FORMS |= {"doesn't": "don't", "hasn't": "haven't", "goes": "go"}


def get_base_form(verb: str) -> str | None:
    """The form behind "you"; None for what is no known form behind "the user"."""
    low = verb.lower()
    if low in PLURAL_FORMS:
        return PLURAL_FORMS[low]
    if low in PAST or low in MODALS or low.endswith("ed") or low == "had":
        return verb
    if not low.endswith("s") or low.endswith("ss") or len(low) < 4:
        return None
    if low.endswith("ies"):
        return low[:-3] + "y" if len(low) > 4 else low[:-1]
    if low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return low[:-2]
    return low[:-1]


def is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and word not in _ENDS_LIKE_ADVERB)


# "Ran it in 52 minutes. Used to be 58.": of what, the sentence before says.
_WAS_SO_MANY = re.compile(r"used to be (?:about |around |only |over |under )?[\d£$€]", re.IGNORECASE)


# "Back at work since Monday", "Out of hospital": where somebody is who says nothing else.
_STATE = re.compile(
    r"""
    (?:
        Back\ (?:at|on|from)\  | Off\ (?:work|sick|school)\b | Out\ of\ (?:hospital|prison|work|plaster)\b
        | Home\ from\  | Down\ to\ (?=\d|an?\b|one|two|three|four|five|six)
        | Up\ to\ (?=\d)(?!\d+\ (?:people|per))
    )(?!
        .*(?:
            \b(?:I|we|he|she|they|it|you|(?<!with\ )my|our|the|was|were|is|are|has|had|have|will|did)\b
            | [,:?]
        )
    )
    """,
    re.VERBOSE,
)


# Forms that nothing but a perfect or a passive has.
PARTICIPLES = frozenset(
    """
        been seen gone done eaten known flown driven taken given written ridden worn broken fallen grown thrown drunk
        sung swum begun forgotten spoken stolen chosen
    """.split()
)


def with_subject(clause: str) -> str:
    """Puts back the "I" that hasty writers leave out: "Flying to Beijing", "Moved again", "Love pizza"."""
    words = clause.split(maxsplit=3)
    if not words:
        return clause
    at = 1 if len(words) > 1 and is_adverb(words[0].lower()) and words[0].lower() != "no" else 0
    first = words[at].lower().strip(",.!")
    lowered = clause[0].lower() + clause[1:]
    if _ADJECTIVES.match(clause):
        return f"I am {lowered}"
    if _UNDERGONE.match(clause):
        return f"I was {lowered}"
    if _BARE_VERB.match(clause):
        return f"I {lowered}"
    if _STATE.match(clause):
        return f"I {'have been' if ' since ' in clause else 'am'} {lowered}"
    if _WAS_SO_MANY.match(clause):
        return clause
    if first == "been" or (words[0].lower() == "never" and first in PARTICIPLES):
        return f"I have {lowered}"
    if first in ("closed", "opened", "shut"):  # as a shop is
        return clause
    if first in STARTS_LIKE_NO_VERB or _SUBJECT_FOLLOWS.match(clause) or len(words) < 2:
        return clause
    if re.fullmatch(r"[a-z]{3,}ing", first):
        return clause if len(words) - at == 2 else f"I am {lowered}"  # "Thrilling stuff" says of what it is
    is_of_thing = words[at + 1 : at + 2] == ["its"]  # "Passed its MOT in June"
    is_past = first in PAST or re.fullmatch(r"[a-z]{2,}ed", first)
    return (
        f"{'It' if is_of_thing else 'I'} {lowered}"
        if is_past and first not in ("was", "were", "had", "did", "let", "put", "set", "cut", "cost")
        else clause
    )
