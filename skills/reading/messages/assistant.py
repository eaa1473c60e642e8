"""What the assistant's messages say about how a task is done: its steps, what always holds, and what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.clauses.statements import is_question
from memories.text.en import third_person as english
from memories.text.en.verb_forms import find_base_of_past
from memories.text.quotes.quotations import is_quotation
from memories.text.words.language_detection import detect_language
from memories.text.words.tokenize import extract_keywords
from memories.text.zh import third_person
from memories.values import Turn
from skills.reading.findings import Finding, FindingPart
from skills.reading.messages.user import is_order_clause_zh
from skills.reading.quality import is_sound
from skills.reading.verbs import asks_for_action
from skills.reading.wording import capitalize, lower_first

LONGEST_MESSAGE, LONGEST_ITEM, LONGEST_EXAMPLE = 8_000, 180, 900
MOST_STEPS, MOST_RULES = 8, 4
FEWEST_LISTED, FEWEST_STEPS = 3, 2
_SHORTEST_ZH = 4
_NO_ACTION_ZH = re.compile("知道|理解|明白|收到|看到|了解|是|有|没|在|很|不|用户")

_NUMBERED = re.compile(
    r"""
    ^[ \t]{0,8}(?:\d{1,2}[.)、:：]|[Ss]tep\ \d{1,2}[:.)]|第[一二三四五六七八九十]步[:：,，]?)[ \t]*
    (?P<item>\S[^\n]{3,400})$
    """,
    re.MULTILINE | re.VERBOSE,
)
_LISTED = re.compile(r"^[ \t]{0,8}(?:[-*•]|\d{1,2}[.)、])[ \t]+(?P<item>\S[^\n]{2,200})$", re.MULTILINE)
_MARKS = re.compile(r"\*\*|__|`{3}|^#+ ")
_ASKS_FOR = re.compile(
    r"""
    (?:could|can|may|would|will)\ (?:you|i)\ (?:please\ |kindly\ )?(?:
        give | tell | send | provide | share | confirm | have | get | let\ me\ (?:know|have)
    )(?:\ me|\ us|\ with)?\ (?:what\ |with\ )?(?P<what>(?:your|the)\ [^?.!]{3,100})[?.]?
    | please\ (?:provide|share|send|give|tell|confirm)(?:\ me|\ us)?[ ]
      (?P<what2>(?:your|the)\ [^?.!]{3,100})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_OFFERS = re.compile(
    r"""
    (?:would\ you\ (?:like|prefer)|do\ you\ (?:want|prefer)|shall\ i|should\ i)[ ]
    (?P<what>[^?.!]{3,100}\bor\b[^?.!]{2,80})\?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DID = re.compile(
    r"""
    ^(?:
        (?:
            ok(?:ay)? | great | sure | thanks | thank\ you | perfect | done | got\ it | alright | now
            | next | then | first | good | sorry | understood | noted
        )[,.!:]?[ ]
    )*(?:
        i(?:'ve|\ have)?(?:\ now|\ just|\ also|\ already|\ then|\ first)*\ (?P<did>[a-z]+)
        | (?:let\ me|i(?:'ll|\ will)|i(?:'m|\ am)\ going\ to)(?:\ now|\ first|\ also|\ just|\ then)?[ ]
          (?P<does>[a-z]+)
    )\ (?P<rest>[^?!.]{4,180})
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PLEASE = re.compile(r",? (?:please|first|kindly|for me)$", re.IGNORECASE)
_NEXT_ACTION = re.compile(r"(?:,? and(?: then)?|, then|,) (?:also )?(?=(?P<did>[a-z-]+) )", re.IGNORECASE)
_ANNOUNCES = re.compile(
    r"^(?:then|first|next|after that|now|so|and|in that case|otherwise)[,:]? +", re.IGNORECASE
)
_ASKS_FOR_ZH = re.compile(
    r"""
    请(?:您|你)?(?:先)?(?:提供|告诉我|告知|发(?:给)?我?|说明|确认)(?:一下)?(?:您|你)?的?
    (?P<what>[^，。！？]{2,24})
    | (?:您|你)(?:的)?(?P<what2>[^，。！？]{2,12})(?:是(?:多少|什么))[？?]?
    """,
    re.VERBOSE,
)
_OFFERS_ZH = re.compile(
    r"(?:您|你)(?:想要?|希望|需要|更?倾向于?|选择)(?P<what>[^，。！？]{2,24}还是[^，。！？]{2,24})"
)
_DID_ZH = re.compile(
    r"""
    ^(?:好的|收到|明白|没问题|抱歉|对不起|现在|接下来|然后|首先|稍等)?[，,]?(?:我|这边)?(?:
        (?:已经|已|先|会|来|马上|现在)+(?:为|帮|替|给)?(?:您|你)? | (?:为|帮|替|给)(?:您|你)
        | 我(?=[\u4e00-\u9fff]{1,3}了|[^，。得]{2,8}[好完出]了)
    )(?P<rest>[^。！？]{3,60})
    """,
    re.VERBOSE,
)
_SUGGESTS_ZH = re.compile("^(?:那么?)?(?:可以|建议|不妨|试试)(?P<rest>[^。！？]{4,60})")
_RULE = re.compile(
    r"""
    \b(?:
        must | only | within\ \d+
        | not\ (?:accepted|possible|allowed|eligible|refundable|returnable|covered|supported) | cannot\ be
        | can't\ be | can\ be | requires? | needs?\ (?:a|an|the|approval|to\ be) | free\ of\ charge
        | at\ least | at\ most | no\ later\ than | as\ long\ as | unless | always | never | except
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_RULE_ZH = re.compile(
    r"""
    必须 | 只能 | 仅限 | [0-9一二三四五六七八九十]+(?:天|日|小时|个工作日)内 | 不支持 | 不能 | 无法
    | 需要?(?:经|主管|审批|先) | 至少 | 最多 | 除非 | 一律 | 免费 | 不予
    """,
    re.VERBOSE,
)
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|i'll|me|my|we|our|sorry|glad|happy)\b|[我]|抱歉|很高兴", re.IGNORECASE
)
_COURTEOUS = re.compile(
    r"""
    ^(?:
        sure | of\ course | great | ok(?:ay)? | thanks? | thank\ you | you're\ welcome | hello | hi | good
        | perfect | got\ it | noted | understood | then | here | dear | 好的 | 当然 | 您好 | 你好 | 感谢
        | 收到 | 没问题 | 抱歉 | 明白
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A draft that somebody asked for tells of no steps.
_LETTER = re.compile(
    r"(?:here(?:'s| is)[^\n]{0,40}:\s*)?(?:dear|hi|hello) [A-Z][\w. ]+,|尊敬的|亲爱的", re.IGNORECASE
)
_OMITTED = re.compile(r"omitted|省略|^\W*$", re.IGNORECASE)


def extract_assistant_findings(turn: Turn, at: int) -> list[Finding]:
    """Steps and rules of one message of the assistant; what its list shows is an example."""
    text = turn.text[:LONGEST_MESSAGE]
    if _LETTER.match(text):
        return []
    if is_quotation(text) or (_OMITTED.search(text) and len(text) < 60):
        return []
    listed = list_numbered_steps(text)
    steps = listed or list(_iterate_stated_steps(text))
    part = FindingPart.STEP if listed else FindingPart.ACTION
    findings = [Finding(part, step, at, language=detect_language(step)) for step in steps[:MOST_STEPS]]
    findings += [
        Finding(FindingPart.RULE, rule, at, language=detect_language(rule))
        for rule in list(_iterate_rules(text))[:MOST_RULES]
    ]
    if not listed and (example := find_example(text)):
        findings.append(Finding(FindingPart.EXAMPLE, example, at, language=detect_language(text)))
    return findings


def list_numbered_steps(text: str) -> list[str]:
    """A numbered list of things to do, without their explanations."""
    items = [_remove_marks(match["item"]) for match in _NUMBERED.finditer(text)]
    doing = [item for item in items if is_step(item)]
    if len(items) < FEWEST_STEPS or len(doing) * 3 < len(items) * 2:
        return []
    steps: list[str] = []
    for step in (_make_impersonal(_get_first_sentence(item)) for item in items):
        if steps and not is_sound(step, detect_language(step)):
            # "Connect it again" goes on with the step before.
            joint = "；" if detect_language(step) == "zh" else "; "
            steps[-1] = f"{steps[-1]}{joint}{lower_first(step)}"
        else:
            steps.append(step)
    return steps


def is_step(item: str) -> bool:
    """Return whether an item of a list is something to be done, and not a thing."""
    if detect_language(item) == "zh":
        return is_order_clause_zh(item) or bool(_DOES_ZH.match(item))
    return asks_for_action(item, "en") or bool(_DOES.match(item))


# What only steps begin with: when something is done, or how.
_DOES = re.compile(
    r"""
    (?:
        first | then | next | finally | back\ up | before | after | begin | start | turn | press | click
        | enter | type | go | wait | hold | drag | tap | navigate | ensure | make\ sure | use | keep
        | avoid | let | set | run | put | take | give | make | look | load | thaw | warm | heat | boil
        | stir | pour | cook | bake | cut | wash | mix | stretch | rest | walk | read | write | ask | call
        | tell | say
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_DOES_ZH = re.compile(
    "(?:先|再|然后|最后|提前|按时?|每|在|用|对|给|将|把|播种|确保|避免|保持)|[\u4e00-\u9fff]{0,8}(?:前"
    "|后|时|之前|之后)?(?:先|再|要|保持|避免|检查|记录|测量|收集|确认|整理)"
)


def _iterate_stated_steps(text: str) -> Iterator[str]:
    for sentence in split_sentences(clean_message(text)):
        for step in list_stated_steps(sentence):
            if len(set(extract_keywords(step))) >= 2:
                yield step[:LONGEST_ITEM]


def list_stated_steps(sentence: str) -> list[str]:
    """List what an agent says in one sentence that it did, asked or offered, as steps for the next time."""
    if detect_language(sentence) == "zh":
        return [step] if (step := _find_stated_step_zh(sentence)) else []
    return _find_stated_step(sentence)


def _find_stated_step(sentence: str) -> list[str]:
    if match := _OFFERS.search(sentence):
        return [f"Ask which is preferred: {make_neutral(match['what']).strip()}"]
    if match := _ASKS_FOR.search(sentence):
        return [f"Ask for {_PLEASE.sub('', make_neutral(match['what'] or match['what2'])).strip(' ,')}"]
    if match := _DID.match(sentence):
        return _list_actions(match)
    bare = _ANNOUNCES.sub("", sentence.strip())
    if (
        not _COURTEOUS.match(bare)
        and not is_question(bare, "en")
        and not _PERSONAL.search(bare)
        and asks_for_action(bare, "en")
    ):
        return [capitalize(make_neutral(bare.split(":")[0].strip(" .!")))]
    return []


def _list_actions(match: re.Match[str]) -> list[str]:
    """List what an agent says that it has done, as steps for the next time: without the figures of this one."""
    if match["does"]:
        is_idle = not asks_for_action(f"{match['does']} {match['rest']}", "en")
        return [] if is_idle else [capitalize(f"{match['does']} {make_neutral(match['rest'])}")]
    steps = []
    for action in _split_actions(f"{match['did']} {_HERE_IT_IS.sub('', match['rest'].split(':')[0])}"):
        verb, _, rest = action.partition(" ")
        base = find_present_form(verb)
        rest = remove_figures(make_neutral(rest)).strip(" ,;")
        if (
            base
            and rest
            and not _ONLY_FOUND.fullmatch(rest)
            and not re.match(r"(?:you|that|to|it|them|so|out)\b", rest)
        ):
            steps.append(capitalize(f"{base} {rest}"))
    return steps


# "… and here is the list": shown, not done.
_HERE_IT_IS = re.compile(r",? and (?:here|there)(?:'s| is| are)\b.*", re.IGNORECASE)
# What came out of this one case: "found three", "found Jonas Wirt".
_ONLY_FOUND = re.compile(
    r"""
    (?:
        \d+ | two | three | four | five | six | seven | eight | nine | ten | several | many | some | none
        | [A-Z]\w+(?:\ [A-Z]\w+)* | the\ (?:first|second|third|next|last|other|others|rest|same)
    )
    """,
    re.VERBOSE,
)


def _split_actions(text: str) -> Iterator[str]:
    start = 0
    for joint in _NEXT_ACTION.finditer(text):
        if find_base_of_past(joint["did"]):
            yield text[start : joint.start()]
            start = joint.end()
    yield text[start:]


# What somebody was, had or thought is nothing to be done.
_NO_ACTION = frozenset(
    """
        wanted liked loved hoped tried seemed agreed noticed supposed guessed assumed needed decided
        apologised apologized was were had did went came saw felt knew thought understood meant got
        heard forgot became fell lost
    """.split()
)


def find_present_form(did: str) -> str:
    """The verb that a past form is of: "rolled" -> "roll", "sent" -> "send"; "" where the word is no action."""
    return "" if did.lower() in _NO_ACTION else find_base_of_past(did)


_COUNT = re.compile(
    r"""
    \b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty|a\ hundred)
    \ (?!of\b)(?=(?:[a-z-]+\ )?[a-z-]+s\b)
    """,
    re.VERBOSE,
)
# "with a limit of 40 euros": what is left of it would say nothing.
_MEASURED = re.compile(
    r" (?:with|to|of|at|by|for|in|under|over|within|from|until)(?: an?| the)?(?: [a-z]+ of)? \d[\d,.]* [a-z-]+s?\b"
)
_IDENTIFIER = re.compile(r"\S*\d\S*")


def remove_figures(text: str) -> str:
    """Without counts of this one case; "" where what is left would be named by a figure of it."""
    bare = _COUNT.sub("", _MEASURED.sub("", text))
    return "" if _IDENTIFIER.search(bare) else bare


def _find_stated_step_zh(sentence: str) -> str:
    if match := _OFFERS_ZH.search(sentence):
        return f"询问用户的选择：{match['what']}"
    if match := _ASKS_FOR_ZH.search(sentence):
        return f"请用户提供{(match['what'] or match['what2']).strip('的')}"
    match = _SUGGESTS_ZH.match(sentence) or _DID_ZH.match(sentence)
    if not match:
        return ""
    rest = re.sub("^(?:(?:您|你)(?:的)?|了)|(?:了|一下)$", "", match["rest"])
    rest = re.sub("(?<=[\u4e00-\u9fff])了(?=[^，]|，)", "", rest)
    rest = re.sub("，(?:合计|共|总计|一共)[^，]*", "", re.sub("[您你](?:的)?", "用户的", rest))
    parts = rest.split("，")
    rest = (
        parts[0]
        if not re.match("并|再|然后|重新|把|用", parts[1] if len(parts) > 1 else "并")
        else "，".join(parts[:2])
    )
    if len(rest) < _SHORTEST_ZH or _NO_ACTION_ZH.match(rest):
        return ""
    return "" if _PERSONAL.search(rest) else third_person.rewrite_in_third_person(rest).strip(" ，")


def _iterate_rules(text: str) -> Iterator[str]:
    """Return what is said to hold always, by somebody who says it of a thing and not of the case at hand."""
    for sentence in split_sentences(clean_message(text)):
        language = detect_language(sentence)
        bare = _remove_marks(sentence).strip()
        if bare.endswith(("?", "？", ":", "：")) or _COURTEOUS.match(bare) or _PERSONAL.search(bare):
            continue
        is_rule = (_RULE_ZH if language == "zh" else _RULE).search(bare)
        is_stated = asks_for_action(bare, language) or _NUMBERED.match(bare)
        if (
            is_rule
            and not is_stated
            and not re.search(r"\byour?\b|[您你]", bare)
            and 12 <= len(bare) * (2 if language == "zh" else 1) <= 200
        ):
            yield bare.rstrip(".。!！")


def find_example(text: str) -> str:
    """The list that an answer gave, as far as it is worth showing."""
    lines = [line.rstrip() for line in text.strip().splitlines()]
    listed = [
        line
        for line in lines
        if _LISTED.match(line) or re.match(r"\s*(?:\**\s*(?:Day|第)\s?[\d一二三四五六七八九十]+)", line)
    ]
    if len(listed) < FEWEST_LISTED:
        return ""
    kept: list[str] = []
    for line in lines:
        if line.startswith("#"):
            line = f"**{line.lstrip('# ')}**"
        if sum(map(len, kept)) + len(line) > LONGEST_EXAMPLE:
            kept.append("…")
            break
        kept.append(line)
    first = next((at for at, line in enumerate(kept) if line in listed or line.startswith("**")), 0)
    return "\n".join(kept[first:]).strip()


def get_called_tools(turns: Sequence[Turn]) -> list[str]:
    """The names of the tools that were called, each once, in the order of their first call."""
    return list(dict.fromkeys(call.name for turn in turns for call in turn.calls if call.name))[:MOST_STEPS]


def _remove_marks(text: str) -> str:
    return _MARKS.sub("", text).strip()


def _get_first_sentence(item: str) -> str:
    head = re.split(r"(?<=[.。!！])\s|(?<=[。！])|\s[-–—]\s|[:：]\s", item, maxsplit=1)[0]
    return head.rstrip(" .。:：")[:LONGEST_ITEM]


def _make_impersonal(step: str) -> str:
    if detect_language(step) == "zh":
        return re.sub("[您你](?:的)?", "用户的", third_person.rewrite_in_third_person(step))
    text = make_neutral(step)
    return text[:1].upper() + text[1:]


def make_neutral(text: str) -> str:
    """ "your order number" is somebody's whom the skill serves."""
    text = re.sub(r"\byourself\b", "themselves", text, flags=re.IGNORECASE)
    return re.sub(
        r"\byours?\b",
        "the",
        re.sub(r"\byou\b", "the user", english.expand_contractions(text), flags=re.IGNORECASE),
        flags=re.IGNORECASE,
    )
