"""What the assistant's messages say about how the task is done: its steps, what always holds, and what came out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memories.text.clauses.sentences import clean_message, split_sentences
from memories.text.en import third_person as english
from memories.text.quotations import is_quotation
from memories.text.tokenize import extract_keywords, language_of
from memories.text.zh import third_person
from memories.values import Turn
from skills.induction.values import Finding, Part

LONGEST_MESSAGE, LONGEST_ITEM, LONGEST_EXAMPLE = 8_000, 180, 900
MOST_STEPS, MOST_RULES = 8, 4
FEWEST_LISTED = 3

_NUMBERED = re.compile(
    r"^[ \t]{0,8}(?:\d{1,2}[.)、:：]|[Ss]tep \d{1,2}[:.)]|第[一二三四五六七八九十]步[:：,，]?)[ \t]*(?P<item>\S[^\n]{3,400})$",
    re.MULTILINE,
)
_LISTED = re.compile(r"^[ \t]{0,8}(?:[-*•]|\d{1,2}[.)、])[ \t]+(?P<item>\S[^\n]{2,200})$", re.MULTILINE)
_MARKS = re.compile(r"\*\*|__|`{3}|^#+ ")
# An answer that lists what somebody gets to see is an example; one that lists what is to be done is a method.
_DOES_EN = re.compile(
    r"(?:first |then |next |finally |now |also |always |do not |never )?(?:ask|check|confirm|verify|look|open|go|click|select|choose|pick|press|hold|turn|restart|reset|unplug|plug|remove|delete|install|update|run|test|write|read|collect|gather|list|sort|group|compare|decide|define|set|create|make|prepare|plan|book|reserve|call|send|contact|tell|inform|offer|review|summari[sz]e"
    r"|draft|measure|calculate|track|record|note|add|mix|cook|bake|heat|boil|chop|wash|cut|warm|stretch|rest|repeat|start|begin|stop|switch|connect|disconnect|enter|type|save|copy|move|clear|clean|replace|generate|issue|refund|escalate|schedule|arrange|identify|research|outline|edit|proofread|share|assign|follow|keep|use|apply|avoid|mark|import|export|load|filter|plot|explain|give|show|split|merge|commit|deploy|reproduce|isolate|fix)\b",
    re.IGNORECASE,
)
_DOES_ZH = re.compile(
    r"(?:先|首先|然后|接着|再|最后|请)?(?:询问|确认|检查|核实|核对|查看|查询|打开|点击|选择|按住?|重启|重置|拔掉|插上|删除|安装|更新|运行|测试|写|阅读|收集|整理|列出|排序|分组|比较|决定|定义|设置|创建|制作|准备|规划|预订|联系|发送|告知|通知|提供|审查|总结|起草|测量|计算|跟踪|记录|添加|加入|搅拌|煮|烤|加热|切|洗|热身|拉伸|休息|重复|开始|停止|切换|连接|输入|保存|复制|移动|清理|清空|替换|生成|退款|安排|分析|编辑|校对|分享|分配|标注|导入|导出|筛选|解释|拆分|合并|提交|定位|修复|引导)"
)
# What an agent says it does, or asks, on its way through a case.
_ASKS_FOR_EN = re.compile(
    r"(?:could|can|may|would|will) (?:you|i) (?:please |kindly )?(?:give|tell|send|provide|share|confirm|have|get|let me (?:know|have))(?: me| us| with)? (?:what |with )?(?P<what>(?:your|the) [^?.!,]{3,80})[?.]?"
    r"|please (?:provide|share|send|give|tell|confirm)(?: me| us)? (?P<what2>(?:your|the) [^?.!,]{3,80})",
    re.IGNORECASE,
)
_OFFERS_EN = re.compile(
    r"(?:would you (?:like|prefer)|do you (?:want|prefer)|shall i|should i) (?P<what>[^?.!]{3,100}\bor\b[^?.!]{2,80})\?",
    re.IGNORECASE,
)
_DID_EN = re.compile(
    r"^(?:(?:ok(?:ay)?|great|sure|thanks|thank you|perfect|done|got it|alright|now|next|then|first|good)[,.!:]? )*(?:i(?:'ve| have)(?: now| just| also| already)? (?P<did>[a-z]+(?:ed|t|n|d))|(?:let me|i(?:'ll| will)|i(?:'m| am) going to)(?: now| first| also| just| then)? (?P<does>[a-z]+)) (?P<rest>[^?!.]{4,140})",
    re.IGNORECASE,
)
_NEXT_DEED = re.compile(r":|,? and (?=(?:[a-z]+ed|sent|made|told|found|put)\b)", re.IGNORECASE)
_ASKS_FOR_ZH = re.compile(
    r"请(?:您|你)?(?:先)?(?:提供|告诉我|告知|发(?:给)?我?|说明|确认)(?:一下)?(?:您|你)?的?(?P<what>[^，。！？]{2,24})|(?:您|你)(?:的)?(?P<what2>[^，。！？]{2,12})(?:是(?:多少|什么))[？?]?"
)
_OFFERS_ZH = re.compile(
    r"(?:您|你)(?:想要?|希望|需要|更?倾向于?|选择)(?P<what>[^，。！？]{2,24}还是[^，。！？]{2,24})"
)
_DID_ZH = re.compile(
    r"^(?:好的|收到|明白|没问题|现在|接下来|然后|首先|稍等)?[，,]?(?:我|这边)?(?:已经?|先|会|来|马上|现在)*(?:为|帮|替|给)(?:您|你)(?P<rest>[^，。！？]{3,40})|^(?:我|这边)(?:已经?|先|会|马上)(?P<rest2>[^，。！？]{3,40})"
)
_RULE_EN = re.compile(
    r"\b(?:must|only|within \d+|not (?:accepted|possible|allowed|eligible|refundable|returnable|covered|supported)|cannot be|can't be|requires?|needs? (?:a|an|the|approval|to be)|free of charge|at least|at most|no later than|as long as|unless|always|never|except)\b",
    re.IGNORECASE,
)
_RULE_ZH = re.compile(
    r"必须|只能|仅限|[0-9一二三四五六七八九十]+(?:天|日|小时|个工作日)内|不支持|不能|无法|需要?(?:经|主管|审批|先)|至少|最多|除非|一律|免费|不予"
)
_PERSONAL = re.compile(r"\b(?:i|i'm|i've|i'll|me|my|sorry|glad|happy)\b|[我]|抱歉|很高兴", re.IGNORECASE)
_COURTEOUS = re.compile(
    r"^(?:sure|of course|great|ok(?:ay)?|thanks?|thank you|you're welcome|hello|hi|good|perfect|got it|好的|当然|您好|你好|感谢|收到|没问题)\b",
    re.IGNORECASE,
)
_OMITTED = re.compile(r"omitted|省略|^\W*$", re.IGNORECASE)


def findings_of(turn: Turn, at: int) -> list[Finding]:
    """Steps and rules of one message of the assistant; what its list shows is an example."""
    text = turn.text[:LONGEST_MESSAGE]
    if is_quotation(text) or (_OMITTED.search(text) and len(text) < 60):
        return []
    steps = list(_listed_steps(text)) or list(_told_steps(text))
    found = [Finding(Part.STEP, step, at, language=language_of(step)) for step in steps[:MOST_STEPS]]
    found += [
        Finding(Part.RULE, rule, at, language=language_of(rule)) for rule in list(_rules(text))[:MOST_RULES]
    ]
    if not steps and (example := example_in(text)):
        found.append(Finding(Part.EXAMPLE, example, at, language=language_of(text)))
    return found


def _listed_steps(text: str) -> Iterator[str]:
    """A numbered list of things to do, without their explanations."""
    items = [_plain(match["item"]) for match in _NUMBERED.finditer(text)]
    doing = [item for item in items if (_DOES_ZH if language_of(item) == "zh" else _DOES_EN).match(item)]
    if len(items) < FEWEST_LISTED or len(doing) * 3 < len(items) * 2:
        return
    for item in items:
        yield _impersonal(_first_sentence(item))


def _told_steps(text: str) -> Iterator[str]:
    for sentence in split_sentences(clean_message(text)):
        language = language_of(sentence)
        step = _told_zh(sentence) if language == "zh" else _told_en(sentence)
        if step and len(set(extract_keywords(step))) >= 2:
            yield step[:LONGEST_ITEM]


def _told_en(sentence: str) -> str:
    if match := _OFFERS_EN.search(sentence):
        return f"Ask which is preferred: {neutral(match['what']).strip()}"
    if match := _ASKS_FOR_EN.search(sentence):
        return f"Ask for {neutral(match['what'] or match['what2']).strip()}"
    if match := _DID_EN.match(sentence):
        verb = match["does"] or _base(match["did"])
        if verb and _DOES_EN.match(verb) and not re.match(r"(?:you|that|to)\b", match["rest"]):
            rest = _NEXT_DEED.split(match["rest"])[0] if match["did"] else match["rest"]
            return f"{verb.capitalize()} {neutral(rest).strip(' ,;')}"
    return ""


def _told_zh(sentence: str) -> str:
    if match := _OFFERS_ZH.search(sentence):
        return f"询问用户的选择：{match['what']}"
    if match := _ASKS_FOR_ZH.search(sentence):
        return f"请用户提供{(match['what'] or match['what2']).strip('的')}"
    if match := _DID_ZH.match(sentence):
        rest = re.sub("^(?:(?:您|你)(?:的)?|了)|(?:了|一下)$", "", match["rest"] or match["rest2"]).replace(
            "了", "", 1
        )
        rest = re.sub("[您你](?:的)?", "用户的", rest)
        if _DOES_ZH.match(rest):
            return rest
    return ""


def _base(did: str) -> str:
    """The verb that a participle is of, where one of those that name steps fits."""
    lowered = did.lower()
    candidates = [lowered.removesuffix("ed"), lowered.removesuffix("d"), re.sub(r"(.)\1ed$", r"\1", lowered)]
    candidates += [
        lowered.removesuffix("ied") + "y",
        {
            "sent": "send",
            "told": "tell",
            "made": "make",
            "set": "set",
            "written": "write",
            "found": "find",
            "given": "give",
        }.get(lowered, ""),
    ]
    return next((verb for verb in candidates if verb and _DOES_EN.fullmatch(verb)), "")


def _rules(text: str) -> Iterator[str]:
    """What is said to hold always, by somebody who says it of a thing and not of the case at hand."""
    for sentence in split_sentences(clean_message(text)):
        language = language_of(sentence)
        bare = _plain(sentence).strip()
        if bare.endswith(("?", "？")) or _COURTEOUS.match(bare) or _PERSONAL.search(bare):
            continue
        is_rule = (_RULE_ZH if language == "zh" else _RULE_EN).search(bare)
        if (
            is_rule
            and not re.search(r"\byour?\b|[您你]", bare)
            and 12 <= len(bare) * (2 if language == "zh" else 1) <= 200
        ):
            yield bare.rstrip(".。!！")


def example_in(text: str) -> str:
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


def tools_of(turns: Sequence[Turn]) -> list[str]:
    """The names of the tools that were called, each once, in the order of their first call."""
    return list(dict.fromkeys(call.name for turn in turns for call in turn.calls if call.name))[:MOST_STEPS]


def _plain(text: str) -> str:
    return _MARKS.sub("", text).strip()


def _first_sentence(item: str) -> str:
    head = re.split(r"(?<=[.。!！])\s|(?<=[。！])|\s[-–—]\s|[:：]\s", item, maxsplit=1)[0]
    return head.rstrip(" .。:：")[:LONGEST_ITEM]


def _impersonal(step: str) -> str:
    if language_of(step) == "zh":
        return re.sub("[您你](?:的)?", "用户的", third_person.rewrite_in_third_person(step))
    text = neutral(step)
    return text[:1].upper() + text[1:]


def neutral(text: str) -> str:
    """ "your order number" is somebody's whom the skill serves."""
    text = re.sub(r"\byourself\b", "themselves", text, flags=re.IGNORECASE)
    return re.sub(
        r"\byours?\b",
        "the",
        re.sub(r"\byou\b", "the user", english.expand_contractions(text), flags=re.IGNORECASE),
        flags=re.IGNORECASE,
    )
