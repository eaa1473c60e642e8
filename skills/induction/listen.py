"""What one message of the user says about how a task shall be done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memories.engine.local.claiming import find_claims
from memories.engine.local.wishes import find_wish
from memories.text.clauses.sentences import clean_message, split_clauses, split_sentences
from memories.text.clauses.small_talk import is_courtesy
from memories.text.clauses.statements import (
    hands_over_material,
    is_about_made_up_text,
    is_hypothetical,
    is_question,
    is_request,
)
from memories.text.en import third_person as english
from memories.text.tokenize import extract_keywords, language_of
from memories.text.zh import third_person
from skills.induction.aspects import aspects_in
from skills.induction.domains import domains_in
from skills.induction.values import Finding, Part

LONGEST_MESSAGE, LONGEST_CLAUSE, LONGEST_ITEM = 4_000, 240, 200
MOST_CLAUSES = 40

_SUCCESS = re.compile(
    r"\b(?:perfect|excellent|exactly (?:what|right|like)|that(?:'s| is| was)? (?:great|perfect|it|exactly)|works? (?:great|well|perfectly|now|for me)|it work(?:s|ed)|that (?:worked|works|helped|did it|fixed it|solved it)"
    r"|looks? (?:great|good|perfect)|love it|well done|much better|(?:problem|issue) (?:is )?solved|just what i (?:wanted|needed)|sounds (?:great|perfect|good)|(?:was|is|went) (?:great|perfect|very well)|(?:we|i) (?:loved|really enjoyed) it)\b"
    r"|太好了|太棒了|完美|很好|非常好|不错|就这样|就按这个|可以了|正是我(?:想|要)|解决了|搞定了|好用|满意|成功了|没问题了|喜欢这个",
    re.IGNORECASE,
)
_FAILURE = re.compile(
    r"\b(?:still (?:does not|doesn't|not|fails?|broken|the same)|it (?:fails|crashes|breaks)|(?:did not|didn't|does not|doesn't) (?:work|help|fix)|not working|no luck|same (?:error|problem))\b"
    r"|还是(?:不行|不对|一样|报错)|没(?:有)?用|不管用|没解决",
    re.IGNORECASE,
)
_OBJECTS = re.compile(
    r"^(?:no\b[,.!]?|nope\b|not (?:like this|quite|really|what)|wrong\b|hmm\b|but\b|that(?:'s| is) (?:wrong|not|too)|this is (?:too|not)|it(?:'s| is) (?:too|still too|not)|too |you (?:forgot|missed|ignored|left out)|instead\b|actually\b|i (?:said|asked|told you))"
    r"|^(?:不对|不是|不行|不要这样|错了|太|还是太|你(?:忘|漏|没)|我(?:说的|要的)是|换(?:成|个)|改(?:成|一下|为)|重新|但是|不过)",
    re.IGNORECASE,
)
_TOO = re.compile(
    r"\b(?P<en>(?:much |way |far |a bit |still )?too [a-z-]+(?: and (?:too )?[a-z-]+)?|not [a-z]+ enough)\b"
    r"|(?P<zh>(?<![不没])(?:还是)?太(?!好|棒|感|谢|完美|喜欢|赞)[^，。！？了的、]{1,6}|不够[^，。！？了的]{1,6})",
    re.IGNORECASE,
)
_COURTEOUS_EN = re.compile(
    r"^(?:(?:and|but|so|also|then|now|ok(?:ay)?|yes|no|nope|well|hmm|hey|hi|hello|actually|instead|please|pls|kindly|just|oh|thanks|thank you|again|next time|this time|for next time"
    r"|(?:can|could|would|will) (?:you|we)(?: please| also| maybe)?|would you mind|(?:i|we) (?:(?:would|'d) (?:like|love|want)|want|need|wanted) you to|(?:make|be) sure (?:that you |you |to |that )|remember to|do not forget to|don't forget to|help me(?: to)?|let us|let's|try to|you should|you (?:can|could|must|need to)|it should|the (?:answer|plan|result) should)[,!:.]? )+",
    re.IGNORECASE,
)
_COURTEOUS_ZH = re.compile(
    r"^(?:(?:请|麻烦|帮(?:我|忙)?|给我|替我|为我|再|也|还|另外|还有|顺便|然后|那|那么|就|能不能|能否|可以|可不可以|希望你?|我(?:想|要|需要|希望)(?:让?你)?|记得|别忘了?|最好|务必|一定要?|下次|这次|在?规划(?:的)?时候?|在做的时候|的时候|对了|嗯|好的?|不对|不是|不行)[，,：:\s]*)+"
)
_WANTS_EN = re.compile(
    r"^(?:I|we) (?:really |also |just |only |usually |always |never |mostly |would |do not |cannot |can not |can |will not |will |am not |am |are not |are |have to |must )*"
    r"(?:want|need|prefer|like|love|hate|rather|look(?:ing)? for|expect|care|mind|avoid|fond|interested|allergic|vegetarian|vegan|a beginner|new to|use|work with|write|read|short of|busy|travel(?:l?ing)? with|go(?:ing)? with|get up|eat|drink)\b"
    r"|^(?:I|we) (?:always|never|usually|normally|typically) \w+",
    re.IGNORECASE,
)
_WANTS_ZH = re.compile(
    r"^(?:我|我们)?(?:平时|一般|通常|总是|都|只|还|也|比较|更|最|不|很|非常|特别|可能|一直|从来)*(?:想要?|希望|需要|喜欢|偏好|偏爱|讨厌|不想|不要|不喜欢|不吃|不喝|受不了|习惯|爱|介意|在意|是(?:个)?(?:新手|初学者|素食)|用的?是|只有|没有|不能|不会|(?:膝盖|腰|胃|眼睛|肩膀|心脏)[^，]{0,4}(?:不好|有伤|不舒服))"
)
_PLAN_ONLY = re.compile(
    r"^(?:I|we) (?:am|are|will|want to|would like to|plan to|am planning|are planning)\b.{0,20}\b(?:go(?:ing)?|travel|fly(?:ing)?|visit|plan(?:ning)?|head(?:ing)?|take|spend|book)\b"
    r"|^(?:我|我们)?(?:下周|下个月|明天|后天|周末|这周|国庆|春节|五一|清明|暑假|寒假|今年|明年)?[^，。]{0,6}(?:打算|准备|计划|要|想)(?:去|到)[^不]",
    re.IGNORECASE,
)
_ORDERS_EN = re.compile(
    r"(?:(?:do not |never |always |only |first )?(?:add|avoid|keep|use|include|mark|check|leave|put|start|end|begin|begin with|skip|drop|remove|replace|swap|change|move|mix|make|show|list|name|give|explain|write|send|ask|tell|sort|group|compare|mention"
    r"|highlight|shorten|cut|split|stick|focus|limit|set|cite|quote|link|test|run|format|wrap|name|number|attach|confirm|verify|note|calculate|order|book|reserve|plan|schedule|prefer|choose|pick|take|turn|describe|summari[sz]e|bring|prepare|draft|address|sign|mind|refund|deliver|return|pay|call|email|answer|reply|insert|translate|round|save|paste|compute|raise|return|round|log|handle|keep|let|pull|move|rename|document|comment|hide|collect|spell|repeat|tone|soften|open|close|finish)\b|no (?!idea|problem|one|thanks|need|worries|way|luck|more questions)[a-z-]{3,})",
    re.IGNORECASE,
)
_JOINTS = re.compile(rf",? but (?=\w)|; |(?:,|,? and) (?={_ORDERS_EN.pattern})", re.IGNORECASE)
_FOR_NOW = re.compile(
    r"\b(?:today|tomorrow|tonight|this (?:week|weekend|month|time|evening)|next (?:week|month|weekend)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b|今天|明天|今晚|这周|本周|下周|这个月|下个月",
    re.IGNORECASE,
)
_PURPOSE_EN = re.compile(r"\s+(?:so(?: that)?|because|since|as) (?:I|we)\b.*$", re.IGNORECASE)
_MUST_BE = re.compile(
    r"^(?:so |and )?(?:it|they|this|that) (?:should|must|has to|have to|needs? to) (?P<not>not )?be (?P<what>[^,.;]{3,80})$",
    re.IGNORECASE,
)
_ABOUT_USER = re.compile(r"^the user (?:and others )?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heard:
    """A user's message as far as skills care: what it asks for, whether it objects, and what it says besides."""

    text: str
    language: str
    domains: dict[str, int]
    is_asking: bool
    is_objecting: bool
    is_confirming: bool
    is_failing: bool
    clauses: tuple[tuple[str, str], ...]

    @property
    def is_empty(self) -> bool:
        return not self.clauses and not self.domains


def hear(text: str) -> Heard:
    """Reads a message once; what is found in it depends on the task that it turns out to be part of."""
    text = clean_message(text[:LONGEST_MESSAGE])
    clauses: list[tuple[str, str]] = []
    is_asking = False
    for sentence in split_sentences(text):
        language = language_of(sentence)
        if is_courtesy(sentence) or is_hypothetical(sentence, language):
            continue
        told = (
            third_person.without_thanks(sentence)
            if language == "zh"
            else english.expand_contractions(english.lower_shouting(sentence))
        )
        is_asking |= is_request(_opened(told, language), language) or is_question(told, language)
        if is_about_made_up_text(told) and hands_over_material(told, language):
            clauses.append((told[:LONGEST_CLAUSE], language))
            break
        clauses += [(clause, language) for clause in _clauses(told, language)]
    return Heard(
        text,
        language_of(text),
        domains_in(text),
        is_asking,
        bool(_OBJECTS.search(text)) or _complaint(text) != "",
        bool(_SUCCESS.search(text)) and not _FAILURE.search(text),
        bool(_FAILURE.search(text)),
        tuple(clauses[:MOST_CLAUSES]),
    )


_NOT_WANTED = re.compile(
    r"\b(?:do not|don't|never|cannot|can't|not) (?:want|like|go|travel|take|be|make|need)\b|不(?:想|要|喜欢|愿)|别",
    re.IGNORECASE,
)


def _complaint(text: str) -> str:
    """What an answer was too much or too little of. "I don't want to go too far" complains of nothing."""
    for sentence in split_sentences(text[:300]):
        too = _TOO.search(sentence)
        if too and not _NOT_WANTED.search(sentence):
            return (too["en"] or too["zh"]).lower()
    return ""


def _opened(sentence: str, language: str) -> str:
    return sentence.strip() if language == "zh" else english.without_filler(sentence)


def _clauses(sentence: str, language: str) -> Iterator[str]:
    if len(sentence) > 3 * LONGEST_CLAUSE:
        return
    parts = split_clauses(sentence, language)
    if language == "en":
        parts = [piece for part in parts for piece in _JOINTS.split(part)]
    for part in parts:
        bare = part.strip(" ,，;；。.!！?？~～")
        if len(bare) > 1 and not is_courtesy(bare):
            yield bare[:LONGEST_CLAUSE]


def findings_of(heard: Heard, at: int, domain: str) -> list[Finding]:
    """What the message says about a task of this domain. What is only asked is no wish."""
    found: list[Finding] = []
    for clause, language in heard.clauses:
        found += _of_clause(clause, language, at, domain, heard.is_objecting)
    if heard.is_objecting:
        found += _correction(heard, at)
    if heard.is_confirming:
        found.append(Finding(Part.SUCCESS, "", at, language=heard.language))
    if heard.is_failing:
        found.append(Finding(Part.FAILURE, "", at, language=heard.language))
    return _distinct(found)


def _of_clause(clause: str, language: str, at: int, domain: str, objects: bool) -> list[Finding]:
    if is_question(clause, language) and not is_request(clause, language) and not _asks_politely(clause):
        return []
    aspects = [
        Finding(Part.LIKING, aspect.words(language).liking, at, aspect.slot, aspect.key, language)
        for aspect in aspects_in(clause, domain)
    ]
    if aspects:
        return aspects
    return _standing(clause, language, at) or _wish(clause, language, at) or _liking(clause, language, at)


_ASSISTANT_IS_TO = re.compile(r"^I want the assistant (?P<not>not )?to |^我希望助手")


def _standing(clause: str, language: str, at: int) -> list[Finding]:
    """A wish about answers as such: "the assistant" is whoever uses the skill."""
    found = []
    for one in find_wish(clause, language):
        told = _ASSISTANT_IS_TO.sub(lambda match: "do not " if match["not"] else "", one.said)
        if told == one.said:
            found.append(Finding(Part.LIKING, liking_text(one.said, language), at, one.slot, "", language))
        else:
            found.append(Finding(Part.WISH, order_text(told, language), at, one.slot, "", language))
    return found


def _asks_politely(clause: str) -> bool:
    return bool(
        re.match(
            r"(?:can|could|would|will) (?:you|we)\b|(?:你)?(?:能不能|能否|可以|可不可以)",
            clause,
            re.IGNORECASE,
        )
    )


def _liking(clause: str, language: str, at: int) -> list[Finding]:
    """In the third person, and without "the user" at the beginning: the section says whose preferences these are."""
    claims = [one for one in find_claims(clause, [clause], language, "") if one.is_preference]
    if claims:
        return [
            Finding(Part.LIKING, liking_text(one.said, language), at, one.slot, "", language)
            for one in claims
            if one.said
        ]
    if language == "en" and (must := _MUST_BE.match(clause)):
        return [
            Finding(Part.LIKING, f"Wants it {must['not'] or ''}to be {must['what']}", at, "", "", language)
        ]
    wants = (_WANTS_ZH if language == "zh" else _WANTS_EN).match(_opened(clause, language))
    if not wants or _PLAN_ONLY.match(clause) or _FOR_NOW.search(clause):
        return []
    text = liking_text(_opened(clause, language), language)
    return [Finding(Part.LIKING, text, at, "", "", language)] if _says_enough(text) else []


def liking_text(said: str, language: str) -> str:
    """ "I prefer window seats" -> "Prefers window seats"; 我喜欢靠窗的座位 -> 喜欢靠窗的座位."""
    if language == "zh":
        text = re.sub("^用户(?:等人)?", "", third_person.rewrite_in_third_person(said)) or said
        return text.strip(" ，。！")[:LONGEST_ITEM]
    return _capital(
        _ABOUT_USER.sub("", english.rewrite_in_third_person(_PURPOSE_EN.sub("", said), "the user", ""))
    )


def _wish(clause: str, language: str, at: int) -> list[Finding]:
    """What the assistant was told to do, as a step: "please check the prices first" -> "Check the prices first"."""
    bare = (_COURTEOUS_ZH if language == "zh" else _COURTEOUS_EN).sub("", clause).strip()
    is_told = is_request(clause, language) or is_request(bare, language) or _is_order(bare, language)
    if not is_told or _starts_with_person(bare, language) or not _says_enough(bare) or _OF_NOW.match(bare):
        return []
    text = order_text(bare, language)
    return [Finding(Part.WISH, text, at, "", "", language)]


def ordered(clause: str, language: str) -> str:
    """A clause without the courtesies before it, about the user."""
    bare = (_COURTEOUS_ZH if language == "zh" else _COURTEOUS_EN).sub("", clause).strip() or clause
    return order_text(bare, language)


def order_text(bare: str, language: str) -> str:
    if language == "zh":
        return third_person.rewrite_in_third_person(re.sub("^(?:以后|今后|下次)", "", bare)).strip(" ，。！")[
            :LONGEST_ITEM
        ]
    return _capital(english.rewrite_in_third_person(_FOR_ME.sub("", bare)))


_FOR_ME = re.compile(
    r",? (?:for me|please|pls|thanks|thank you)(?=$|[,.!])|,? for me(?= please)", re.IGNORECASE
)


# What is to be done with the answer at hand, and no step of the next time.
_OF_NOW = re.compile(
    r"(?:swap|change|replace|move|drop|remove|redo|fix|try|do|send|show|give me|tell me|explain|use|take|keep) (?:it|this|that|them|those|these|one|another|again)\b(?! (?:under|below|short|simple|brief|to|in|as|at|within)\b)"
    r"|(?:就|都)?按(?:这|那|照)|换(?:一)?个|重新|再来|试试|看看|继续",
    re.IGNORECASE,
)
_ORDERS_ZH = re.compile(
    r"(?:先|最后|首先|以后|今后|下次)(?!生|后|前|来|再说|的)[^，]{3,}|[^，我你他]{1,5}(?:要(?!求)[^，]{1,}|(?:写|标|列|讲|说)(?:清楚?|明|出)[^，]*)$|每(?:一)?[页条段句张篇步个][^，]{0,4}(?:只|都|要|不|用|放|写)[^，]+|"
    r"(?:每(?:一)?[条个次封段页天步]|所有|全部)[^，]{0,6}(?:都)?(?:要|得|必须|不要)|[^，请]{1,6}请(?!问|教|客|假)[^，]{2,}|(?:先|都|每次|只|不要|别|尽量|提前|多|少|统一|全部)*(?:加上?|增加|避开|避免|标注|标出|标明|确认|检查|查看?|列出?|写明|写|注明|安排|穿插|换成?|改成?|改为|删掉?|去掉|用|使用|保持|控制|按|附上?|给出|说明|突出|放|排|分成?|留出?|选|挑|推荐|提醒|核对|对比|总结|缩短|精简|省略|预订|不要|别)"
)


def _is_order(bare: str, language: str) -> bool:
    return bool((_ORDERS_ZH if language == "zh" else _ORDERS_EN).match(bare))


def _starts_with_person(bare: str, language: str) -> bool:
    return bool(re.match("我(?!们?的)" if language == "zh" else r"(?:I|we|he|she|they|it)\b", bare))


def _correction(heard: Heard, at: int) -> list[Finding]:
    """What was wrong with an answer, and what the user had done about it."""
    wrong = _complaint(heard.text)
    fixes = [
        one.text
        for clause, language in heard.clauses
        for one in _wish(clause, language, at)
        if language == heard.language
    ]
    if not wrong and not fixes:
        return []
    fix = fixes[0] if fixes else ""
    text = _lesson_zh(wrong, fix) if heard.language == "zh" else _lesson_en(wrong, fix)
    return [Finding(Part.CORRECTION, text, at, language=heard.language)]


def _lesson_en(wrong: str, fix: str) -> str:
    lowered = fix[:1].lower() + fix[1:]
    if wrong and fix:
        return f"An answer was {wrong} and had to be corrected: {lowered}"
    if wrong:
        return f"The user did not accept an answer that was {wrong}"
    return f"The user had to ask for this, so do it from the start: {lowered}"


def _lesson_zh(wrong: str, fix: str) -> str:
    if wrong and fix:
        return f"曾因{wrong}被要求更正：{fix}"
    return f"用户不接受{wrong}的结果" if wrong else f"用户曾特意要求，应一开始就做到：{fix}"


def _says_enough(text: str) -> bool:
    return len(text) >= 4 and len(set(extract_keywords(text))) >= 2


def _capital(text: str) -> str:
    text = text.strip(" ,.;:!")[:LONGEST_ITEM]
    return text[:1].upper() + text[1:]


def _distinct(found: Sequence[Finding]) -> list[Finding]:
    seen: dict[tuple[Part, str], Finding] = {}
    for one in found:
        seen.setdefault((one.part, one.text), one)
    return list(seen.values())
