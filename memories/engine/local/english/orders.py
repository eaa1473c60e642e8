"""Orders to the assistant: those that stand ("Never use emojis") are preferences, those of the moment are nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from memories.engine.local.english.parsing.grammar import find_subject, is_finite
from memories.text.claims.wishes import build_wish_slot, find_wish
from memories.text.en.verb_forms import is_verb
from memories.text.en.verbs import PARTICIPLES
from memories.text.slots.claim import Claim

if TYPE_CHECKING:
    from spacy.tokens import Doc

_POLITE = re.compile(
    r"""
    ^(?:
        (?:
            please | pls | kindly | just | also | and | so | but | then | maybe | ok | okay | could\ you
            | can\ you | would\ you | will\ you | I(?:'d|\ would)\ (?:like|love|want|prefer)\ you\ to
            | I\ (?:want|need)\ you\ to | you\ (?:should|must|can) | make\ sure\ (?:to|you) | remember\ to
            | try\ to | feel\ free\ to | do(?!\ not\b)
        )\b,?[ ]
    )+
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ALWAYS = re.compile(
    r"""
    \b(?:
        always | from\ now\ on | in\ (?:the\ )?future | going\ forward | from\ here\ on | every\ time
        | each\ time | whenever | by\ default | as\ a\ rule | in\ general | at\ all\ times | in\ every
        | for\ (?:all|every|any) | (?:every|any)thing(?:\ you|\ in) | any\ ?more
        | every\ (?:
              answer | reply | message | response | recipe | list | plan | summary | email | amount | date
              | price | number | time
          )
        | all\ (?:answers|replies|prices|amounts|dates|times|numbers)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Lemon drizzle, always has": what somebody does, without saying it again.
_ALWAYS_DID = re.compile(r"\balways (?:has|have|had|was|were|is|are|did|does|will|been)\b", re.IGNORECASE)
_NEVER = re.compile(r"^(?:never|stop|quit|no more|avoid|don't (?:ever)?|do not (?:ever)?)\b", re.IGNORECASE)
# What an answer is and is made of: an order about these holds for every answer.
_ANSWERS = re.compile(
    r"""
    \b(?:your|the|all|any|every)\ (?:
        answers? | repl(?:y|ies) | responses? | messages? | explanations? | texts? | tone | suggestions?
        | recommendations? | recipes
    )\b
    | \b(?:
          answers | replies | responses | messages | explanations | emojis? | emoticons?
          | bullet(?:\ ?points?|s) | exclamation\ (?:marks?|points?) | small\ talk | smalltalk | jargon
          | disclaimers? | slang | buzzwords | markdown | headings | headers | hashtags | puns | jokes
          | contractions? | spellings? | abbreviations? | acronyms? | clich[eé]s? | capitals? | italics | passive\ voice
          | pleasantries | apologies | apologi[sz]e | apologi[sz]ing | metric | imperial | celsius
          | fahrenheit | 24-hour | british | american | plain\ (?:english|language) | first\ name | sir
          | ma'am
      )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Give me references in Harvard style": how what answers contain is to be written.
_WRITTEN_SO = re.compile(
    r"""
    ^(?:give|show|write|list|put|format|cite|quote|state|keep|express|do|render)(?:\ me|\ us)?[ ]
    (?:all\ |any\ |your\ )?(?:
        references | citations | sources | footnotes | dates | times | prices | amounts | numbers
        | figures | measurements | distances | temperatures | quantities | weights | sizes | costs
        | totals | equations | formulas | ingredients | units | recipes | lengths | heights | speeds
    )(?:\ and\ [a-z]+)?\ in\ (?:the\ )?(?!(?:this|that|my|our)\b)(?:[\w-]+\ ){0,3}?(?:
        style | format | notation | units | spelling | form | euros | pounds | dollars | sterling | yen
        | yuan | francs | rupees | metric | imperial | celsius | fahrenheit | kilomet(?:re|er)s | km
        | miles | met(?:re|er)s | feet | kilos | grams | ounces | cups | stone | APA | MLA | Harvard
        | LaTeX | bold | italics
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MANNER = re.compile(
    r"^(?:be|keep it|keep things|stay|answer|reply|respond|speak|talk|address|call|use|spell|write)\b",
    re.IGNORECASE,
)
# "Don't give me salads, I hate salad": behind the order stands why.
_REASON_BEHIND = re.compile(
    r"^(?P<order>[^,;]{6,80})[,;] (?:because |since |as |but |and |so )?(?P<why>(?:I|we|my|our)\b.+)$",
    re.IGNORECASE,
)
_FOR_NOW = re.compile(
    r"\b(?:this|that|these|those|it|following|above|below|here|now|today|tomorrow|tonight)\b", re.IGNORECASE
)
_ORDER_VERBS = frozenset(
    """
        give show tell use keep answer reply respond write speak talk be call address add include
        put start begin end finish explain list ask check remind suggest recommend skip avoid stop
        make convert quote cite spell format round assume treat stick limit mention translate
        summarise summarize send say do don't never always confirm repeat leave let stay apologise
        apologize help find plan look draft set book order calculate compare rewrite create generate
        describe turn remember note forget save record read take get try think wait go come see pick
        choose consider
    """.split()
)
_SUBJECT_FIRST = re.compile(
    r"""
    (?:I|we|he|she|they|it|my|our|his|her|their|the|there|this|that|you)\b
    | [\w ]{2,30}?\ (?:is|are|was|were|has|have)\b
    | (?-i:[A-Z][a-z]+)\ (?:does|did|is|was|has|will|would|can|could)(?:n['’]t|\ not)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_REASONING = "The user asked directly for answers of this kind."
_ASKED = re.compile(
    r"""
    ^(?:I|we)(?:'d|\ would)?\ (?:really\ |always\ |just\ )?(?:want|need|like|prefer|appreciate|expect)[ ]
    (?P<what>
        (?:all\ |every\ |any\ |each\ |your\ |short\ |brief\ |long\ |simple\ |plain\ |direct\ )?(?:
            answers? | repl(?:y|ies) | responses? | explanations? | messages? | amounts? | prices?
            | dates? | times? | numbers? | units? | recipes? | code | summar(?:y|ies) | figures?
            | measurements? | distances? | temperatures?
        )\b.*
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_command(doc: Doc) -> bool:
    """Return whether a clause tells somebody to do something."""
    text = _POLITE.sub("", doc.text)
    first = re.sub(
        r"^(?:(?:from now on|in (?:the )?future|going forward|always|never|please|whenever [^,]{2,60}"
        r"|when(?:ever)? (?:I|you) [^,]{2,60}|if (?:I|you) [^,]{2,60}|for [^,]{2,40}"
        r"|in [^,]{2,40}),? ){1,5}",
        "",
        text,
        flags=re.IGNORECASE,
    )
    words = first.split()
    if not words:
        return False
    root = next(iter(doc.sents)).root
    word = words[0].lower().strip(",.")
    if word in ("don't", "do") and len(words) > 1 and words[1].lower() != "you":
        return find_subject(root) is None or words[1].lower() == "not"
    if word not in _ORDER_VERBS:
        return False
    subject = find_subject(root)
    return subject is None or subject.i > root.i or not is_finite(root) or subject.lower_ == word


_JOINED_ORDER = re.compile(
    rf",? and (?=(?:please |always |never )?(?:{'|'.join(sorted(_ORDER_VERBS))})\b)", re.IGNORECASE
)


def split_reason(text: str) -> tuple[str, str]:
    """An order and what is said of the user as the reason for it, "" for none."""
    match = _REASON_BEHIND.match(text)
    return (match["order"], match["why"]) if match and _NEVER.match(_POLITE.sub("", text)) else (text, "")


def find_orders_in_request(text: str) -> list[Claim]:
    """Find what of a request of the moment holds for all that follows: "Draft a list, and quote everything in
    euros"."""
    asked = _POLITE.sub("", text).rstrip(" .!?")
    first, *further = _JOINED_ORDER.split(asked)
    if not further or first.split()[0].lower() not in _ORDER_VERBS or read_standing_order(first):
        return []
    return [claim for part in further if not _FOR_NOW.search(part) for claim in read_standing_order(part)]


def read_standing_order(text: str) -> list[Claim]:
    """Return what of an order holds beyond the moment, in the first person; nothing if it does not."""
    if asked := _ASKED_POLITELY.match(text.rstrip(" .!")):
        text = f"{'do not ' if asked['not'] else ''}{asked['what']}"
    if _HYPOTHETICAL.search(text) or _SAYING.match(_POLITE.sub("", text).rstrip(" .!")):
        return []
    if claims := find_wish(text, "en"):
        return claims
    if asked := _ASKED.match(text):
        return [_build_claim(f"I want {asked['what']}", text)]
    order = _POLITE.sub("", text).rstrip(" .!")
    order = re.sub(r",? please(?=$|,)", "", order, flags=re.IGNORECASE)
    if match := _SPARE.match(order):
        return [_build_claim(f"I do not want {match['what']}", text)] if _ANSWERS.search(order) else []
    if polite := _IF_YOU_COULD.match(order):
        order = polite["order"]
    if (
        _TIME_FIRST.match(order)
        or _SUBJECT_FIRST.match(order)
        or _ALWAYS_DID.search(order)
        or not _stands(order)
    ):
        return []
    occasion, action = _split_order(order)
    action = _POLITE.sub("", action)
    if _SUBJECT_FIRST.match(action):  # "From now on, I want answers in French"
        return read_standing_order(action) if _ASKED.match(action) else []
    if _WHEN_SOMEBODY.match(occasion) and not _NEVER.match(action) and not _begins_with_action(action):
        return []
    never = _NEVER.match(action)
    what = action[never.end() :].strip() if never else action
    word = never[0].lower().split()[0] if never else ""
    if word in ("stop", "avoid", "quit"):
        how, what = f"to {word}", what
    elif never:
        how = "never to" if word == "never" else "not to"
    else:
        how = "to"
    if not what or len(what.split()) > 25 or (word == "never" and what.split()[0].lower() in PARTICIPLES):
        return []  # "Never been on a plane" tells what never was
    ending = f" {occasion}" if occasion else ""
    return [_build_claim(f"I want the assistant {how} {what[0].lower()}{what[1:]}{ending}", text)]


_SPARE = re.compile(
    r"^(?:spare me|skip|leave out|leave off|cut|drop|lose|no|without|no more) (?:all |any )?(?P<what>.{3,80})$",
    re.IGNORECASE,
)
_STANDING_LABEL = re.compile(
    r"""
    ^(?:
        going\ forward | from\ now\ on | house\ rules? | ground\ rules? | rules? | in\ (?:the\ )?future
        | for\ (?:all\ )?(?:future|your)\ \w+ | style(?:\ guide)? | standing\ orders? | some\ rules
    )(?:\ for\ \w+)?[:,]\ (?P<items>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_IF_I = re.compile(
    r"""
    ^(?:when(?:ever)?|if|every\ time|each\ time)\ (?:I|we|you)\ [^,]{2,60},\ (?:please\ |then\ )?(?!
        (?:
            I | we | you | he | she | it | they | the | my | our | can | could | would | will | should
            | shall | may | might | must | has | have | had | was | were | did | does | am | what | how
            | which | who | whose | where | when | why | do\ i | is | are
        )\b
    )(?=[a-z]+\ )
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "I must ask that you avoid jargon", "I'd appreciate it if you didn't use emojis", "It would help if you would …".
_ASKED_POLITELY = re.compile(
    r"""
    ^(?:
        (?:I|we)(?:\ (?:must|have\ to|would)|['’]d|\ do)?\ (?:kindly\ )?(?:ask|request)\ (?:that\ )?you\ (?:to\ )?
        | (?:
            (?:I|we)(?:['’]d|\ would)\ (?:really\ |much\ )?(?:appreciate|prefer|like|love)\ it
            | (?:I|we)(?:['’]d|\ would|\ should)\ be\ (?:very\ |most\ )?(?:grateful|happy|glad)
            | it(?:['’]d|\ would)\ (?:really\ )?(?:help|be\ (?:\w+\ )?\w+)(?:\ for\ me)?
        )\ if\ you\ (?:could|would|can|did(?=n['’]t|\ not))\ ?
        | (?:I|we)(?:['’]d|\ would)\ rather\ you\ (?:did(?=n['’]t|\ not)|would(?=n['’]t|\ not))\ ?
    )(?P<not>n['’]t\ |not\ (?:to\ )?)?(?:please\ |always\ )?(?P<what>[a-z].{3,120})$
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "If we moved I'd open a guesthouse, but my wife would never leave": what would be so is nothing that is asked for.
_HYPOTHETICAL = re.compile(
    r"""
    \b(?:if|unless|suppose|imagine|had\ (?:I|we)|were\ (?:I|we))\ .{0,200}?\b(?:
        (?:I|we|he|she|they)(?:['’]d|\ would|\ could|\ might)\b
        | (?:my|our|his|her|their)\ [a-z-]+\ (?:would|could|might)\b
    )(?!\ (?:really\ |much\ |also\ )?(?:like|love|rather|prefer|appreciate|want|need)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Don't ask", "don't get me started on parking": words beside what was said, asked of nobody.
_SAYING = re.compile(
    r"""
    (?:do(?:n['’]t|\ not)|never)\ (?:
        get\ me\ (?:started|going|wrong)\b.*
        | (?:ask|remind|judge|laugh|quote|mind|blame|tell)(?:\ me|\ us)?(?:\ (?:why|how|what|when|where))?
          (?:\ again)?
        | quote\ me\ on\ (?:that|it)
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WHEN_SOMEBODY = re.compile(r"(?:when(?:ever)?|if|every time|each time) (?:I|we|you)\b", re.IGNORECASE)
_IF_YOU_COULD = re.compile(
    r"""
    if\ you\ (?:could|can|would)\ (?P<order>[^,]{3,100}),?\ (?:
        (?:that|it)(?:['’]d|\ would)\ be\ \w+ | (?:I|we)(?:['’]d|\ would)\ (?:be\ grateful|appreciate\ it)
    )$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DONE_WITH = re.compile(
    r"""
    (?:please\ |then\ |always\ |never\ |just\ )*(?P<verb>[a-z]+)\ (?:
        (?:
            me | us | it | them | him | her | the | an? | my | your | all | any | every | each | in | on
            | with | to | for | as | only | no | up | out | by | from | before | after | first | at
        )\b
        | .*\b(?:me|us|it|them|you)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _begins_with_action(order: str) -> bool:
    """Return whether a verb stands at its beginning, as in orders, and no noun: "If I skip lunch, work suffers"."""
    words = order.lower().split()
    if words[:1] and words[0] in _ORDER_VERBS | _CONTACTING:
        return not (words[1:] and words[1] in _FINITE)
    match = _DONE_WITH.match(order)
    return match is not None and is_verb(match["verb"])


_CONTACTING = frozenset("text email e-mail ring phone message ping contact wake warn".split())
# "Christmas, I always work" is a habit.
_TIME_FIRST = re.compile(
    r"""
    (?!
        (?:
            from | in | when | whenever | if | going | every | each | for | always | never | please | at
            | by | as | unless | until | before | after
        )\b
    )[\w ]{2,30},\ (?:I|we)[ ]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FINITE = frozenset(
    "is are was were will would can could might may has have had does did must should".split()
)


def read_orders(text: str) -> list[Claim]:
    """Each of several orders, or the one that there is."""
    return _read_listed_orders(text) or read_standing_order(text)


def _read_listed_orders(text: str) -> list[Claim]:
    """Each of several orders behind one label: "Ground rules: metric units only, no puns, and cite your sources"."""
    match = _STANDING_LABEL.match(text.rstrip(" .!"))
    items = (
        re.split(
            r"(?:,|;)\s+(?:and\s+)?|\s+and\s+(?=(?:no|never|don't|do not|always|\w+ (?:me|each|every|all|your))\b)",
            match["items"],
        )
        if match
        else []
    )
    claims = []
    for item in items:
        if not item.strip() or len(item.split()) > 20:
            continue
        word = item.split()[0].lower()
        if spared := _SPARE.match(item):
            statement = f"I do not want {spared['what']}"
        elif word in ("never", "don't", "do"):
            statement = (
                f"I want the assistant not to "
                f"{re.sub(r'^(?:never|do not|dont) ', '', item.replace(chr(39), ''), flags=re.IGNORECASE)}"
            )
        elif word in _ORDER_VERBS or word == "always":
            statement = f"I want the assistant to {item[0].lower()}{item[1:]}"
        else:
            statement = f"I want {item[0].lower()}{item[1:]}"
        claims.append(_build_claim(statement, item))
    return claims if len(claims) > 1 or (match and ":" in text) else []


# "Don't send that": what is at hand.
_THIS_ONCE = re.compile(
    r"^do.*\b(?:this|that|it|these|those|them|now|today|tonight|tomorrow|yet)$", re.IGNORECASE
)
# "Don't schedule anything before ten": an arrangement with a bound, which holds for all that follow.
_ARRANGES = re.compile(
    r"""
    ^(?:never|do(?:n't|\ not)\ ever)\ (?:
        schedule | book | ring | wake | text | email | contact | propose | arrange | plan | order | put
        | invite
    )\b
    | ^\S+\ (?:not\ )?(?:schedule|book|ring|wake|text|email|contact|propose|arrange|plan|order|put|invite)
      \b(?!.*\byet\b).*\b(?:
          before | after | until | past | over | above | below | more\ than | less\ than | earlier\ than
          | later\ than | during | without | any | anything | anyone | early | late | at\ weekends
          | at\ night | on\ \w+days?
      )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _stands(order: str) -> bool:
    if (occasion := _IF_I.match(order)) and _begins_with_action(order[occasion.end() :]):
        return True
    if _ALWAYS.search(order) or (_WRITTEN_SO.match(order) and not _FOR_NOW.search(order)):
        return True
    is_refusal = bool(_NEVER.match(order))
    if _FOR_NOW.search(order) and not is_refusal:
        return False
    if is_refusal:
        if _THIS_ONCE.search(order):
            return False
        return bool(
            _ANSWERS.search(order)
            or (_ARRANGES.search(order) and not _FOR_NOW.search(order))
            or re.search(
                r"\b(?:call|address|remind|ask|suggest|recommend|tell|give|show|send|use|add|write"
                r"|start|end|begin|explain|repeat|mention|assume)\w*\b",
                order,
            )
        ) and not re.search(r"\b(?:worry|forget|bother|mind)\b", order)
    return bool(
        _ANSWERS.search(order)
        and (
            _MANNER.match(order)
            or re.search(r"\byour\b", order)
            or re.match(r"(?:keep|make|give|no)\b", order, re.IGNORECASE)
        )
    )


_OCCASION = re.compile(
    r"""
    ^(?P<when>
        (?:when(?:ever)?|if|every\ time|each\ time|for|in|on|with|as\ a\ rule|at\ all\ times)\b[^,]{1,60}
    ),\ (?P<do>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_FROM_NOW_ON = re.compile(
    r"""
    ^(?:from\ now\ on|in\ (?:the\ )?future|going\ forward|from\ here\ on|as\ a\ rule),?[ ]
    | ,?\ (?:from\ now\ on|in\ (?:the\ )?future|going\ forward)$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _split_order(order: str) -> tuple[str, str]:
    """Return when the order holds, and what it says."""
    order = _FROM_NOW_ON.sub("", order)
    match = _OCCASION.match(order)
    if not match:
        return "", order
    when = match["when"]
    return when[0].lower() + when[1:], match["do"]


def _build_claim(statement: str, order: str) -> Claim:
    statement = re.sub(
        r"\byour\b",
        "its",
        re.sub(r"\byou\b", "the assistant", statement, flags=re.IGNORECASE),
        flags=re.IGNORECASE,
    )
    return Claim(statement, build_wish_slot(order), "Standing instruction", _REASONING)
