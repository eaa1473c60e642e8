"""Standing wishes about how the assistant answers: "Keep replies short", "Call me Bob", 请用中文回答."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.slots.claim import Claim, build_slot
from memories.text.words.word_lists import load_alternatives

_FILE = Path(__file__).with_name("words.toml")
_WORDS = load_alternatives(_FILE, "wishes")
_ASPECTS = {
    slot: re.compile(words, re.IGNORECASE) for slot, words in load_alternatives(_FILE, "aspects").items()
}
_ABOUT_ANSWERS = re.compile(rf"\b(?:{_WORDS['answers_en']})\b|{_WORDS['answers_zh']}", re.IGNORECASE)
_STANDING = re.compile(rf"\b(?:{_WORDS['standing_en']})\b|{_WORDS['standing_zh']}", re.IGNORECASE)
_IMPERATIVE = re.compile(
    rf"""
    ^(?:
        (?:
            please | pls | also | and | just | always | never | from\ now\ on | in\ (?:the\ )?future
            | going\ forward | can\ you | could\ you | would\ you
        ),?[ ]
    )*(?P<not>(?:please\ )?(?:do\ not|don't|never|stop|avoid|no\ more)\ )?(?:please\ )?
    (?P<verb>{_WORDS["orders"]})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WANTS = re.compile(
    r"""
    ^I\ (?:would\ )?(?:really\ |always\ )?(?:want|prefer|like|need)\ (?:
        you\ to | your | the\ (?:answers|replies|responses) | answers | replies | responses
        | (?:short|concise|detailed|brief)\ (?:answers|replies)
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CALL_ME = re.compile(
    r"""
    ^(?:please\ |you\ can\ |just\ |you\ may\ |everyone\ |people\ )*(?:call|address)\ me\ (?:as\ )?
    (?P<name>[A-Z][\w'-]*(?:\ [A-Z][\w'-]*)?)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CALL_ME_ZH = re.compile(
    r"^(?:请|你可以|以后|就|可以)*(?:叫我|称呼我(?:为)?|喊我)(?P<name>[\w·]{1,10}?)(?:吧|就好|就行|即可)?$"
)
_IMPERATIVE_ZH = re.compile(
    r"""
    ^(?:请|麻烦|以后|今后|希望你|我希望你|你|尽量|每次|回答(?:时|的时候)?|都|最好|能不能|可以)*
    (?:不要|别|用|使用|尽量|简|详|回答|回复|少|多|保持|说|给)
    """,
    re.VERBOSE,
)
# Work that is asked for once and for all: 以后写邮件开头都用……
_ALWAYS_ZH = re.compile(
    r"""
    ^(?:请)?(?:
        (?:以后|今后|从现在起|从今以后)(?:请|你|在)?(?:帮我)?
        (?:写|回答|回复|推荐|规划|安排|提醒|总结|翻译|给我|生成)
        | (?:帮我)?(?:写|回答|回复|推荐|规划|安排|提醒|总结|翻译)[^，]{0,12}(?:的时候|时)，?
          (?:请|都|先|不要|别|用|保持|尽量)
    )
    """,
    re.VERBOSE,
)
_NEVER = re.compile(r"\bnever\b", re.IGNORECASE)
_YOU = re.compile(r"\byou(r?)\b", re.IGNORECASE)
_LONGEST_WISH = 300


def find_wish(clause: str, language: str) -> list[Claim]:
    """A wish that outlives the question at hand: it must speak of answers as such, or say that it always holds."""
    if len(clause) > _LONGEST_WISH:
        return []
    bare = clause.rstrip(" .!。！?？")
    if language == "zh":
        return _name_wish(bare) or _read_chinese_wish(bare)
    return _name_wish(bare) or _read_refusal(bare) or _read_occasional_wish(bare) or _read_english_wish(bare)


def build_wish_slot(order: str) -> str:
    """The slot of an order that always holds: what it is about, or else its own words."""
    return _find_aspect(order) if _has_aspect(order) else build_slot("style", order)


# On these occasions the assistant is at work, so that what is asked for then is asked for every time.
_OCCASION = re.compile(
    rf"""
    ^(?P<occasion>
        (?:when(?:ever)?|each\ time|every\ time|if)\ (?:you\ |I\ ask\ you\ |I\ ask\ |helping\ |we\ )?
        [^,]{{0,40}}?\b(?:{_WORDS["work"]})\b[^,]{{0,60}}
        | (?:for|in)\ (?:all\ |any\ |every\ |my\ |your\ )?(?:
              future\  | the\ future\  | code\  | email\  | meeting\  | weekly\  | work\  | answers?
              | replies | responses | summar | reports? | reminders?
          )[^,]{{0,60}}
        | from\ now\ on | going\ forward | in\ (?:the\ )?future | always
    ),?\ +(?:please\ |always\ |also\ )*(?P<do>.+)$
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DO = re.compile(
    r"^(?P<not>(?:do not|never|avoid|stop) )?(?:first |only |just )?"
    rf"(?P<verb>{_WORDS['orders_on_occasion']})\b",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"^(?:(?:so|and|but|please|also|pls),? )*(?:do not|never|stop) "
    rf"(?P<verb>{_WORDS['contacts']})(?:ing)? (?P<rest>me\b.{{0,120}})$",
    re.IGNORECASE,
)
_IN_QUESTION = re.compile(
    r"^(?:can|could|would|will|do|does|did|should|is|are|what|how|which|where|who)\b", re.IGNORECASE
)


def _read_occasional_wish(clause: str) -> list[Claim]:
    """As in "When writing emails, keep the tone light" or "From now on, start with a greeting"."""
    match = _OCCASION.match(clause)
    wished = _DO.match(match["do"]) if match else None
    if not match or not wished or _IN_QUESTION.match(match["do"]):
        return []
    occasion, action = match["occasion"], match["do"][len(wished["not"] or "") :]
    is_standing = bool(_STANDING.fullmatch(occasion))
    how = {"avoid ": "to avoid", "stop ": "to stop", "": "to"}.get((wished["not"] or "").lower(), "not to")
    ending = "" if is_standing else f" {occasion[0].lower()}{occasion[1:]}"
    aspect = _find_aspect(match["do"]) if _has_aspect(match["do"]) else build_slot("style", match["do"])
    # What is wanted in e-mails does not replace what is wanted in answers.
    slot = aspect if is_standing else build_slot(aspect, occasion)
    return [_build_english_claim(f"I want the assistant {how} {action[0].lower()}{action[1:]}{ending}", slot)]


def _read_refusal(clause: str) -> list[Claim]:
    match = _REFUSAL.match(clause)
    if not match:
        return []
    return [
        _build_english_claim(
            f"I want the assistant not to {match['verb'].lower()} {match['rest']}",
            f"contact:{match['verb'].lower()}",
        )
    ]


def _name_wish(clause: str) -> list[Claim]:
    match = _CALL_ME.match(clause) or _CALL_ME_ZH.match(clause)
    if not match:
        return []
    if match.re is _CALL_ME_ZH:
        return [
            Claim(f"我希望被称呼为{match['name']}", "style:name", "称呼", "用户直接说明了希望被怎样称呼。")
        ]
    reasoning = "The user said directly how they want to be addressed."
    return [Claim(f"I want to be called {match['name']}", "style:name", "Form of address", reasoning)]


def _read_english_wish(clause: str) -> list[Claim]:
    slot = _find_aspect(clause)
    if not slot or not _ABOUT_ANSWERS.search(clause):
        return []
    if _WANTS.match(clause):
        return [_build_english_claim(clause, slot)]
    match = _IMPERATIVE.match(clause)
    # "Give me a detailed explanation of X" is about X: "give", "make" and "write" need a word that says it is for
    # always.
    if not match or (
        match["verb"].lower() in ("give", "make", "write", "explain", "send") and not _STANDING.search(clause)
    ):
        return []
    action = clause[match.start("verb") :]
    refuses = (match["not"] or "").strip().lower() or _NEVER.search(clause[: match.start("verb")])
    if refuses in ("avoid", "stop", "no more"):
        return [
            _build_english_claim(
                f"I want the assistant to {'stop' if refuses != 'avoid' else 'avoid'} {action}", slot
            )
        ]
    return [
        _build_english_claim(
            f"I want the assistant {'not ' if refuses else ''}to {action[0].lower()}{action[1:]}", slot
        )
    ]


def _build_english_claim(wish: str, slot: str) -> Claim:
    wish = _YOU.sub(lambda you: "the assistant's" if you[1] else "the assistant", wish)
    return Claim(
        wish,
        slot,
        _get_title(slot),
        "The user asked directly for answers of this kind.",
    )


def _get_title(slot: str) -> str:
    kind, _, what = slot.partition(":")
    if kind == "contact":
        return "How to contact the user"
    is_known = any(slot.startswith(known) for known in _ASPECTS)
    return f"Answer style: {what.partition(':')[0]}" if is_known else "Standing instruction"


def _read_chinese_wish(clause: str) -> list[Claim]:
    slot = _find_aspect(clause) or ("style:other" if _ALWAYS_ZH.match(clause) else "")
    is_about_answers = _ABOUT_ANSWERS.search(clause) or _ALWAYS_ZH.match(clause)
    if not slot or not is_about_answers or not (_IMPERATIVE_ZH.match(clause) or _ALWAYS_ZH.match(clause)):
        return []
    if not _has_aspect(clause):
        slot = build_slot("style", clause)
    if re.search("回答(?:下面|这个|以下|我的问题)", clause):
        return []
    wish = re.sub("^(?:请|麻烦|希望你|我希望你|你|能不能|可以)+", "", clause)
    return [Claim(f"我希望助手{wish.lstrip('，')}", slot, "回答方式", "用户直接提出了对回答方式的要求。")]


def _has_aspect(clause: str) -> bool:
    return any(pattern.search(clause) for pattern in _ASPECTS.values())


def _find_aspect(clause: str) -> str:
    return next(
        (slot for slot, pattern in _ASPECTS.items() if pattern.search(clause)),
        "style:other" if _STANDING.search(clause) else "",
    )
