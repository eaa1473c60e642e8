"""Takes off what carries nothing: "Oh wait, by the way, honestly, I …", "… please remember that, thanks"."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from memories.text.en.case import fold_case
from memories.text.en.verb_forms import is_adjective
from memories.text.words.word_lists import load_alternatives

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))
_OPENER = re.compile(
    rf"""^(?:
        (?:{_WORDS["openers"]})(?:\s*[,!.:;–—-]+\s*|\s*\.{{2,}}\s*)(?=\S)
        | (?:oh|ah|well|anyway|yeah|yes|no)\s+(?=(?:and|but|also|by\ the\ way|actually)\b)
        | (?:(?:{_WORDS["before_openers"]})\s+){{0,4}}(?:{_WORDS["openers_before_subject"]})\s+
            (?=(?:{_WORDS["subjects"]})\b)
        | do(?:n['’]t|\ not)\ tell\ (?:any(?:one|body)|everyone|everybody|them|him|her|(?:my|our
            |the)\ [a-z]+)(?:\ (?:this|yet))?,?\ but\s+(?=\w)
        | new\ (?:year|month|week|term|season|decade)(?:,?\ new\ \w+)?,?\ so\s+(?=(?:i|i'm|i've|i'd|i'll|we
            |we're|we've|we'll|my|our)\b)
        | by\ the\ way\s+ | (?:please\ )?(?:note|remember|know|keep\ in\ mind|be\ aware)\ that\s+(?=\w)
        | (?:{_WORDS["lead_ins"]})(?:\ that)?,?\s+(?=(?:i|i'm|i've|i'd|we|we're|we've|my|our)\b)
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_TAIL = re.compile(
    rf"""
    (?:\s*[,;–—-]*\s*|\s+)(?:
        \b(?:please|pls)\ (?:remember|note|save|keep|store)\ (?:that|this|it)(?:\ in\ mind|\ down)?
        (?:\ for\ me)?(?:,?\ please)?
        | \b(?:so\ )?(?:remember|note)\ (?:that|this|it)(?:\ please)?
        | ,\ (?:{_WORDS["asides"]}|{_WORDS["exclamations"]})
        | ,\ (?:please\ )?do(?:n['’]t|\ not)\ (?:{_WORDS["pleas"]})
        | ,\ (?:heaven|god|lord)\ help\ (?:us|me|him|her|them|you)
        | ,\ (?:poor|lucky|silly|bless|imagine|fancy)\ (?:{_WORDS["pitied"]})
        | \b(?:{_WORDS["texted_endings"]}) | (?<!\beven)\ (?:though|tho)
    )(?=\s*[.!?…]*\s*$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_INNER = re.compile(
    r"""
    ,\s+(?:
        you\ know | I\ mean | like | honestly | by\ the\ way | btw | let's\ say | well | um | uh
        | of\ course | bless\ (?:him|her|them|it) | thank\ (?:god|goodness|heavens) | touch\ wood
        | fingers\ crossed
    )\s*,\s+
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "The midwife, Comfort, saved my life": one person, whom no comma parts from the verb.
_APPOSED = re.compile(
    r"""
    \b(?P<who>(?:the|my|our|his|her|their)\ [a-z]+),\ (?P<name>[A-Z][a-z]+),\ (?=
        (?:
            has | is | was | had | will | can | does | did | said | told | gave | took | went | came
            | made | got | lost | left | \w{3,}ed | \w{2,}s
        )\b
    )
    """,
    re.VERBOSE,
)
# "We waited like two hours": about so long; but "I like two sugars" tells a taste.
_LIKE_SO_MANY = re.compile(
    r"""
    (?<!\bI\ )(?<!\bwe\ )(?<!\byou\ )(?<!\bthey\ )(?<!\bto\ )(?<!['’]d\ )(?<!n't\ )(?<!\breally\ )
    (?<!\balso\ )\blike\ (?=
        (?:\d[\d.,]*k?|an?|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty)[ ]
        (?:
            hrs? | hours? | mins? | minutes? | days? | weeks? | months? | years? | times | miles | km | quid | bucks
            | dollars | pounds | euros | people | percent | now
        )\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LAUGHTER = re.compile(r"(?<=\w),? (?:lol|haha+|lmao|hehe)\b(?=,| |$)", re.IGNORECASE)
_LAZY = re.compile(
    r"""
    \b(?:
        im | ive | dont | doesnt | didnt | cant | wont | isnt | wasnt | arent | havent | hasnt | couldnt
        | wouldnt | shouldnt | thats | theres | whats | hes | shes | theyre | youre | weve | theyve | youve
        | werent | gonna | wanna
        | (?<!['’]ve\ )gotta
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LAZY_FORMS = {
    "im": "I'm", "ive": "I've", "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "wont":
    "won't",
    "isnt": "isn't", "wasnt": "wasn't", "arent": "aren't", "havent": "haven't", "hasnt": "hasn't", "couldnt":
    "couldn't",
    "wouldnt": "wouldn't", "shouldnt": "shouldn't", "thats": "that's", "theres": "there's", "whats": "what's",
    "hes": "he's", "gonna": "going to", "wanna": "want to", "gotta": "have to",
    "shes": "she's", "theyre": "they're", "youre": "you're", "weve": "we've",
    "theyve": "they've", "youve": "you've", "werent": "weren't",
}  # fmt: skip
_GOING_TO = re.compile(r"^gonna\b", re.IGNORECASE)
_SMALL_I = re.compile(r"(?<![\w.'])i(?=$|[ ,']|\.\s)")
# "Dad's 81", "the shop's in Lyon": no owner, but a verb.
_IS = re.compile(
    r"""
    (?<=\w)'s\ (?=
        (?:
            \d+ | an? | in | at | on | not | allergic | from | off | out | away | over | under | with
            | without | into | near | too | so | very | quite | really | only | called | named | always
            | never | already | still | now | also | just | going | getting | coming | been | the
        )\b
        | [A-Z][a-z]+(?:ish|ese|ian|ean|ican|wegian|edish)(?:\ and|\ but|\ so|[,.;!]|$)
    )
    """,
    re.VERBOSE,
)
# "Mum's had a fall", "Jo's moved in": the perfect of verbs that are hardly ever said in the passive.
_HAS = re.compile(
    r"""
    (?<=\w)'s\ (?=
        (?:(?:only|just|also|already|now|recently|finally|always|never|ever|even)\ ){0,2}(?:
            (?:learned|learnt|decided|started|managed|agreed|refused|promised|forgotten|tried)\ to\b | had
            | got | gone | moved | become | started | stopped | retired | bought | joined | quit | come
            | been | given\ up | taken\ (?:up|part) | shown\ up | switched | swapped | changed
            | transferred | (?:stepped|stood)\ down | taken\ over
            | (?:handed|passed)\ over(?!\ (?:at|by|on|every|each)\b)
            | (?:packed|jacked|chucked)\ in | dropped\ out | bailed\ (?:on|out) | bowed\ out | walked\ out
            | called\ (?:it|time) | left\ the | hung\ up
        )\b
    )
    """,
    re.VERBOSE,
)
# "My dad's never flown": of verbs whose participle is unlike their past, with a word that counts times.
_HAS_EVER = re.compile(
    r"""
    (?<=\w)'s\ (?=
        (?:(?:just|also|even|actually|really)\ )?(?:just|already|recently|never|ever)\ (?:
            flown | swum | sung | spoken | ridden | driven | eaten | seen | fallen | worn | written
            | forgiven | forgotten | begun
        )\b(?!\ (?:by|without|in|at|with)\b)
    )
    """,
    re.VERBOSE,
)
# "He's never opened a hive", "Vet's taken Biscuit off it": whom something is done to has no object of its own, so that
# somebody has done it.
# Of verbs with two objects ("Tom's offered a post") either may be meant, unless both of them follow.
_TWO_OBJECTS = (
    r"(?:offered|promised|allowed|asked|handed|awarded|owed|given|paid|taught|shown|sent|lent|told|fed)"
)
_NO_OBJECT = r"(?:called|named|nicknamed|christened|based|supposed|allergic|left(?= an?\b))"
_DONE = f"(?:{_WORDS['participles']})"
_BETWEEN = r"(?:(?:just|also|already|now|recently|finally|always|never|ever|even|only) ){0,2}"
_DAY_OR_MONTH = (
    r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?|January|February|March|April|May|June|July|August"
    r"|September|October|November|December|Christmas|Easter)\b"
)
_OBJECT = (
    r"(?:(?:an?(?! lot\b)|the|any|some|my|our|his|her|their|its|me|us|him|them|it|everything|everyone"
    r"|both|one|two|three|four|five"
    rf"|six|seven|eight|nine|ten|\d+)\b|(?-i:(?!{_DAY_OR_MONTH})[A-Z][a-z]))"
)
_HAS_DONE = re.compile(
    rf"(?<=\w)'s (?={_BETWEEN}(?:(?!{_TWO_OBJECTS} |{_NO_OBJECT}){_DONE} {_OBJECT}"
    rf"|{_TWO_OBJECTS} (?:(?:me|us)\b|(?:him|them) (?:an?|the|some|two|three|\d+)\b)))"
)
_NAME_IS = re.compile(r"\b(name|there|that|what|here|where|everything|everyone)'s\b", re.IGNORECASE)
# "He'd a laugh like a drain", "We'd no money".
_HAD = re.compile(
    r"""
    \b(I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey)['’]d\ (?=
        (?:an?|no|the|two|three|four)\ (?!(?:few|little|bit|lot|sooner|while)\b)[a-z]
    )
    """,
    re.VERBOSE,
)
_HAS_BEEN = re.compile(r" is been\b")


def remove_openers(sentence: str) -> str:
    """The sentence from where it begins to say something, up to where it ends to."""
    text = _LAZY.sub(_write_out, _GOING_TO.sub("I'm going to", _SMALL_I.sub("I", sentence.strip())))
    for _ in range(6):
        shorter = _OPENER.sub("", text, count=1).lstrip(" ,;:–—-")
        if shorter == text or not shorter:
            break
        text = shorter
    text = _LIKE_SO_MANY.sub("about ", text)
    text = _APPOSED.sub(r"\g<who> \g<name> ", _INNER.sub(", ", _LAUGHTER.sub("", text)))
    for _ in range(3):
        text = _TAIL.sub("", text)
    return text.strip()


# "I run a hairdresser's in Leith": behind a verb, an owner's ending.
_SHOP = re.compile(
    r"(?<!^)(?<![,;:] )(?<!and )(?<!but )(?<!because )(?<!so )(?<!that )(?<!when )\ban? [\w-]+$",
    re.IGNORECASE,
)


# "We sing in St Anne's on Tuesdays", "He went to his gran's on Monday": a church, a shop or somebody's home, where a
# verb stands before it.
_JOINS = r"(?:and|or|but|so|as|while|when|where|because|that|which|who|if|since|than|then)"
_AT_SOMEBODYS = re.compile(
    r"[a-z]\w* (?:in|at|to|from|near|outside|by|behind|into|round|past)(?:(?: (?:the|my|our))?(?: [A-Z][\w.]*){1,3}"
    rf"| (?:(?:my|our|his|her|their|the) )?[\w-]+['’]s [a-z][\w-]*"
    rf"| (?:the|an?|my|our|his|her|their|your) (?:(?!{_JOINS}\b)[a-z][\w-]*)(?: (?!{_JOINS}\b)[a-z][\w-]*)?)$"
)


def _is_owner(before: str) -> bool:
    """Return whether "'s" behind these words names an owner, and no verb."""
    is_place = _AT_SOMEBODYS.search(before) is not None and not _SUBJECT_AT.search(before)
    return is_place or _IS_NAMED.search(before) is not None or _SHOP.search(before) is not None


# "The bakery is Gail's on the High Street"; but "the problem is Gail's on holiday".
_IS_NAMED = re.compile(
    r"""
    \b(?:the|my|our)\ (?!
        (?:
            thing | problem | trouble | point | truth | fact | news | issue | plan | worry | idea | reason
            | rumou?r | catch | joke | snag
        )\b
    )[a-z-]+\ (?:is|was|is\ called|was\ called)\ [A-Z][\w.]*(?:\ [A-Z]\w*)?$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "The shop in Leeds's on strike", "… because the kettle in the kitchen's off": the place belongs to the subject.
_SUBJECT_AT = re.compile(
    rf"(?:^|[,;:] |\b(?:{_JOINS}|yesterday|today|now|think|reckon|know|hear|heard|say|said|says|hope"
    rf"|guess|mean) )(?:the|my|our|his|her|their|an?|this|that) [\w-]+ "
    r"(?:in|at|from|near|by|outside|behind|past|to) (?:\S+ ){0,3}\S+$",
    re.IGNORECASE,
)


def remove_tail(clause: str) -> str:
    """Without "by the way" and the like at its end."""
    return _TAIL.sub("", clause) or clause


def with_full_verbs(sentence: str) -> str:
    """With "is" written out behind nouns, where the parser would take "'s" for an owner's ending."""
    done = sentence
    for perfect in (_HAS_DONE, _HAS_EVER, _HAS):
        done = perfect.sub(" has ", done)
    written = _IS.sub(lambda match: match[0] if _is_owner(done[: match.start()]) else " is ", done)
    written = _HAD.sub(r"\1 had ", written)
    return _HAS_BEEN.sub(" has been", _NAME_IS.sub(r"\1 is", written))


def with_contracted_verb(doc: Doc) -> str:
    """A clause that has no other verb with "is" or "has" in the place of the "'s" that the parser took for an owner's
    ending: "My husband's deaf in one ear"; "" where that does not fit."""
    ending = next((token for token in doc if token.tag_ == "POS" and token.lower_ in ("'s", "’s")), None)
    if ending is None or ending.i == 0 or ending.i + 1 >= len(doc):
        return ""
    possessed = ending.head.head
    is_described = possessed.tag_ == "JJ" and possessed.i > ending.i and possessed.dep_ in ("ROOT", "conj")
    has_verb = any(token.tag_ in ("VBZ", "VBP", "VBD", "MD") for token in doc)
    if (has_verb and not is_described) or doc[ending.i - 1].tag_ not in _NAMING:
        return ""
    behind = next((token for token in doc[ending.i + 1 :] if token.pos_ != "ADV"), doc[ending.i + 1])
    if behind.tag_ in ("NN", "NNS") and (
        (behind.i + 1 < len(doc) and doc[behind.i + 1].pos_ not in ("ADP", "PUNCT"))
        or not (behind.lower_ in _DESCRIBING or is_adjective(behind.text))
        or any(token.text == "," for token in doc[: ending.i])
    ):
        # "my fiancé's family need it", "Maria's place": what is owned stands bare, what somebody is has an article.
        return ""
    what = behind.head
    if (
        behind.dep_ == "amod"
        and what.tag_ in ("NN", "NNS")
        and what.i > behind.i
        and not is_adjective(what.text)
    ):
        return ""  # "Sam's lost weight" or "Sam's lost luggage"
    if behind.tag_ in ("VBN", "VBD") and behind.lower_ in _TAKES_TWO and _has_object(behind):
        return ""
    verb = "has" if _is_done_by_subject(behind) else "is"
    return f"{doc[: ending.i].text} {verb} {doc[ending.i + 1 :].text}"


_DESCRIBING = frozenset(
    "vegan vegetarian pescatarian coeliac celiac teetotal captain chair treasurer secretary".split()
)
_TAKES_TWO = frozenset(
    "offered promised allowed asked handed awarded owed given paid taught shown sent lent told fed".split()
)
# Participles of verbs that have no object, so that nobody is in that state by somebody else.
_NO_PASSIVE = frozenset("got had been gone come become fallen grown risen died arrived slept".split())


def _has_object(verb: Token) -> bool:
    return any(child.dep_ in ("dobj", "dative") and child.i > verb.i for child in verb.children)


def _is_done_by_subject(verb: Token) -> bool:
    """Return whether "'s" before a verb is "has": "Vet's taken him off it", but "Tom's called Tommy"."""
    is_participle = verb.tag_ in ("VBN", "VBD")
    is_naming = verb.lower_ in ("called", "named", "made", "considered")
    return verb.lower_ in _NO_PASSIVE or (is_participle and not is_naming and _has_object(verb))


_NAMING = frozenset({"NN", "NNP", "NNS"})


def _write_out(match: re.Match[str]) -> str:
    full = _LAZY_FORMS[fold_case(match[0])]
    return full[0].upper() + full[1:] if match[0][0].isupper() else full
