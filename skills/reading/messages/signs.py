"""What a user lets an agent know about its work, beside new requests: that it is good, wrong, or no longer wanted."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from memories.text.clauses.statements import is_hypothetical, is_question
from memories.text.words.word_lists import load_alternatives
from skills.reading.verbs import asks_for_action


class MessageSign(StrEnum):
    """CLOSES: nothing else is wanted. AGREES: go on. RETRIES: do it again, or otherwise."""

    CONFIRMS = "confirms"
    COMPLAINS = "complains"
    GIVES_UP = "gives up"
    RETRIES = "retries"
    AGREES = "agrees"
    CLOSES = "closes"
    PLANS = "plans"


_WORDS = load_alternatives(Path(__file__).with_suffix(".toml"))


def _join_patterns(english: str, chinese: str) -> re.Pattern[str]:
    return re.compile(f"{english} | {chinese}", re.IGNORECASE | re.VERBOSE)


_WORKS = _join_patterns(
    rf"""
    \b(?:it|that|this|{_WORDS["working_things"]}|{_WORDS["software"]})\b(?:\ (?:{_WORDS["before_success"]}))*[ ]
    (?:{_WORDS["success"]})\b(?!\ (?:at|for|as|from|in|on|with)\ (?:an?\ )?[A-Za-z])
    | \b(?:works?|working|worked)\ (?:{_WORDS["after_works"]})\b
    | ^(?:it\ )?works[.!]*$
    | \b(?:that|this|you|it)\ (?:{_WORDS["helping"]})\b
    | \b(?:{_WORDS["problems"]})\ (?:is\ |has\ been\ |was\ )?(?:solved|fixed|resolved|gone)\b
    | \berrors?\ (?:is|are|has|have)\ gone\b
    | \b(?:is|'s|are|'re)\ (?:now\ )?(?:{_WORDS["recovery"]})(?=[.!,]|$)
    """,
    rf"""
    (?:{_WORDS["done_zh"]}|{_WORDS["success_zh"]})了
    | 搞定
    | (?:可以|能|好)用了
    | (?:现在|终于|已经?)(?:可以|好|行|正常)了
    | 收到了.{{0,6}}(?:没问题|很好)
    """,
)
_PRAISE = _join_patterns(
    rf"""
    \b(?:{_WORDS["thanks"]}|{_WORDS["praise"]})\b
    | \b(?:{_WORDS["impressions"]})\ (?:(?:{_WORDS["degrees"]})\ )*
      (?:it|{_WORDS["qualities"]}|okay|what\ i\ (?:{_WORDS["wanting"]}))\b
    | ^(?:(?:ok(?:ay)?|ah|oh|alright),?\ )?(?:{_WORDS["understanding"]})\b
    | \bi(?:'m|\ am)\ (?:very\ |really\ )?(?:happy|satisfied|pleased)\b
    """,
    _WORDS["praise_zh"],
)
_NO_PRAISE = _join_patterns(
    rf"""
    \b(?:{_WORDS["negations"]})\ (?:\w+\ ){{0,2}}(?:{_WORDS["qualities"]}|{_WORDS["denied_praise"]})
    | \b(?:would|'d|could|will|might)\ be\ (?:\w+\ )?(?:{_WORDS["wished_qualities"]})\b
    | \bmuch\ appreciated\ if\b
    | (?:thanks|thank\ you)[^.!]{{0,20}}\ in\ advance
    | \bno,?\ (?:thanks|thank\ you)\b
    | \bthanks\ for\ nothing\b
    """,
    rf"""
    不(?:太|是很|怎么|够|算)?(?:{_WORDS["denied_qualities_zh"]})
    | 没有?(?:{_WORDS["done_zh"]}|通过)
    | {_WORDS["no_praise_zh"]}
    """,
)
_COMPLAINT = _join_patterns(
    rf"""
    \b(?:{_WORDS["auxiliaries"]})(?:n't|n’t|nt|\ not|not)\ (?:\w+\ )?(?:{_WORDS["after_negated_verb"]})\b
    | \bnot\ (?:{_WORDS["after_not"]})\b
    | \bno\ longer\ works?\b
    | \bwon't\ (?:turn|boot)\b
    | \bstill\ (?:\w+\ )?(?:{_WORDS["after_still"]})\b
    | \bstill\ (?:no|an?)\ \w+
    | \b(?:that|this|it|the\ \w+(?:\ \w+)?)(?:'s|\ is|\ was|\ are|\ were|)\ (?:(?:{_WORDS["degrees_of_faults"]})\ )*
      (?:not|{_WORDS["faults"]})\b
    | ^(?:no,?\ )?(?:wrong|incorrect|false|nope)[.!,]*(?:\s|$)
    | \bwrong\ (?:{_WORDS["wrong_things"]})\b
    | \b(?:same|another|new|an?|the|this|that)\ (?:\w+\ )?
      (?:exception|{_WORDS["problems"]})s?\ (?:{_WORDS["after_problem"]})\b
    | \b(?:error|exception)\ again\b
    | \b(?:same|another)\ (?:{_WORDS["problems"]})\b
    | \b(?:{_WORDS["before_error"]})\ (?:me\ )?(?:an?|the|this|another|some|the\ same|errors?)?\ ?
      (?:\w+\ ){{0,3}}(?:{_WORDS["errors"]})s?\b
    | \b(?:it|that|this|{_WORDS["software"]}|{_WORDS["operations"]}|{_WORDS["failing_things"]})[ ]
      (?:just\ |now\ |still\ |keeps?\ |always\ )*(?:{_WORDS["failing"]})\b
    | \b(?:i|we)\ (?:did\ not|didn't|never)\ (?:ask|asked)\ (?:for|you)\b
    | \b(?:is|are|was|were)(?:n't|\ not)\ (?:{_WORDS["left_out"]})\b
    | \byou\ (?:{_WORDS["mistakes"]})\b
    | \bmakes?\ (?:it|things)\ worse\b
    """,
    rf"""
    {_WORDS["complaints_zh"]}
    | 没有?(?:{_WORDS["done_zh"]}|{_WORDS["lacking_zh"]})
    | 还是(?:{_WORDS["after_still_zh"]})
    | 又(?:{_WORDS["after_again_zh"]})
    | (?:{_WORDS["mistaken_zh"]})错了?
    """,
)
_NO_COMPLAINT = _join_patterns(rf"\b(?:{_WORDS['no_complaints']})\b", _WORDS["no_complaints_zh"])
_GIVING_UP = _join_patterns(
    rf"""
    \bnever\ ?mind\b(?!\ the\ rest\b)
    | \bnvm\b
    | \b(?:{_WORDS["dropping"]})\ (?:about\ )?
      (?:it|this|that|the\ (?:whole\ )?(?:thing|task|idea)|that\ task|this\ task)\b
      (?!\ (?:{_WORDS["after_dropping"]})\b)
    | \b(?:i|we)(?:'ll|\ will|\ am|\ 'm|'m|'re|\ are)?\ (?:give|gave|giving)\ up\b
    | \b(?:don't|do\ not)\ bother\b
    | \bnot\ worth\ (?:it|the)\b
    | \b(?:do\ not|don't|no\ longer)\ need\ (?:it|this|that|you\ to)\b(?!\ to\b)
    | \bno\ longer\ needed\b
    | \bforget\ (?:about\ )?(?:the|my|our|those|these)\ \w+
    | \b(?:i|we)(?:'ll|\ will|'m\ going\ to|\ am\ going\ to)\ (?:just\ )?(?:{_WORDS["own_work"]})[ ]
      (?:it|this|that|this\ one)?\s?(?:out\ )?(?:{_WORDS["own_means"]})\b
    | \blet's\ (?:stop|leave\ it|drop\ it)\b
    """,
    rf"""
    {_WORDS["giving_up_zh"]}
    | 不(?:{_WORDS["work_zh"]}|搞|订|要)了
    | 别(?:{_WORDS["work_zh"]}|搞|订|继续)了
    | 不用(?:{_WORDS["work_zh"]}|继续|麻烦)?了
    """,
)
_RETRY = _join_patterns(
    rf"""
    \b(?:{_WORDS["repeatable"]})\ (?:(?:it|that|this|them|once)\ )?(?:once\ more|again|one\ more\ time)\b
    | \b(?:{_WORDS["repetition"]})\b
    | \b(?:{_WORDS["changing"]})[ ]
      (?:it|that|this|them|these|those|the\ (?:{_WORDS["problems"]}|{_WORDS["changed_things"]}))\b
      (?!\ (?:file|page)\b)
    | \b(?:use|try|take|with|choose|pick)\ (?:[\w'.-]+\ ){{1,6}}instead\b
    | \binstead\ (?:use|try|of)\b
    | \binstead[.!]*$
    | \brather\ than\b
    | \bshould\ (?:have\ (?:been|used)|be|say|use|read|look)\b
    | \b(?:i|we)\ (?:meant|said|asked\ for|wanted)\b
    | \bnot\ (?:the\ )?[\w-]+,?\ but\b
    | \b(?:much\ |a\ bit\ |a\ little\ |even\ )?(?:{_WORDS["comparatives"]})(?:,?\ please)?[.!]*$
    | \btoo\ (?:{_WORDS["excesses"]})\b
    """,
    rf"""
    太(?:{_WORDS["measures_zh"]}|{_WORDS["excesses_zh"]})了?
    | (?:{_WORDS["measures_zh"]}|{_WORDS["comparatives_zh"]})[^，。]{{0,3}}一?[点些](?=$|[，。！!吧])
    | 重试
    | 重新
    | 再(?:{_WORDS["repeatable_zh"]})一?[次遍下]?
    | {_WORDS["otherwise_zh"]}
    """,
)
_AGREEING = _join_patterns(
    rf"^(?:{_WORDS['agreement']})\b", rf"^(?:{_WORDS['agreement_zh']})(?:[，,。！!吧啊呀的]|$)"
)
_CLOSING = _join_patterns(
    r"""
    ^(?:no,?\ )?(?:that's|that\ is|that\ will\ be|that'll\ be|this\ is)\ (?:all|it|everything)\b
    | \bthat's\ all\b
    | \bnothing\ (?:else|more)\b
    | ^no,?\ (?:thanks|thank\ you)\b
    | ^(?:no|nope)[.!]*$
    | \b(?:good)?bye\b
    | \b(?:we(?:'re|\ are)|i(?:'m|\ am))\ done\b
    """,
    _WORDS["closing_zh"],
)
_PLANNING = _join_patterns(
    rf"""
    \blet'?s\ (?:first\ )?(?:{_WORDS["planning"]})\b
    | \b(?:what|how)\ (?:should|do|shall)\ we\ (?:{_WORDS["beginning"]})\b
    | \bwhat(?:'s|\ is)\ (?:the|your|our)\ plan\b
    | \bbefore\ (?:we|you|i)\ (?:start|begin|do\ anything)\b
    | \b(?:i'm|i\ am|we're|we\ are)\ (?:thinking|considering|planning|wondering)\b
    | \bthe\ plan\ is\b
    | \bour\ (?:goal|plan|approach)\ is\b
    """,
    _WORDS["planning_zh"],
)


def find_signs(sentence: str, language: str) -> frozenset[MessageSign]:
    """Of one sentence."""
    text = sentence.replace("’", "'").strip()
    signs = {sign for sign, pattern in _PATTERNS if pattern.search(text)}
    signs |= _find_judgement(text, language)
    if MessageSign.GIVES_UP in signs and _WORKS.search(text) and MessageSign.COMPLAINS not in signs:
        signs.discard(MessageSign.GIVES_UP)
    if MessageSign.COMPLAINS in signs:
        signs.discard(MessageSign.CONFIRMS)
    return frozenset(signs)


_PATTERNS = (
    (MessageSign.GIVES_UP, _GIVING_UP),
    (MessageSign.RETRIES, _RETRY),
    (MessageSign.AGREES, _AGREEING),
    (MessageSign.CLOSES, _CLOSING),
    (MessageSign.PLANS, _PLANNING),
)


def _find_judgement(sentence: str, language: str) -> set[MessageSign]:
    signs = set()
    if _COMPLAINT.search(_NO_COMPLAINT.sub(" ", sentence)):
        signs.add(MessageSign.COMPLAINS)
    if is_question(sentence, language) or is_hypothetical(sentence, language):
        return signs
    praised = _NO_PRAISE.sub(" ", sentence)
    works = _WORKS.search(praised) and not _NO_PRAISE.search(sentence)
    if works or (_PRAISE.search(praised) and not _is_polite_order(sentence, language)):
        signs.add(MessageSign.CONFIRMS)
    return signs


_THANKS_LAST = re.compile(
    r"""
    [,.!]?\ ?(?:many\ )?(?:thanks|thank\ you|thx|cheers)(?:\ (?:a\ lot|so\ much|very\ much))?[.!]*$
    | [，,。]?(?:谢谢|多谢|辛苦)[你您了啦]*[。！!]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _is_polite_order(sentence: str, language: str) -> bool:
    """As in "Send it to Kim, thanks": the thanks are for what is still to be done."""
    rest = _THANKS_LAST.sub("", sentence)
    return rest != sentence and asks_for_action(rest, language) and not _PRAISE.search(rest)


_ADMISSION = _join_patterns(
    rf"""
    \b(?:i|we)(?:'m|\ am|\ was|\ were|'re|\ are)?\ (?:sorry,?\ but\ )?(?:i\ )?(?:still\ )?
    (?:unable|not\ able|afraid\ i\ (?:can't|cannot))\ ?(?:to\b)?
    | \b(?:i|we)\ (?:{_WORDS["inability"]}|{_WORDS["admissions"]})\b
    | \b(?:unfortunately|sorry|regret)\b.{{0,80}}\b(?:not|n't|fail\w*|unable|impossible|error|no\ way)\b
    | \b(?:is|was|it's)\ (?:not\ possible|impossible)\b
    | \b(?:{_WORDS["operations"]}|{_WORDS["failed_things"]})\ (?:has\ |have\ )?failed\b
    | \bgiving\ up\b
    | \bran\ into\ (?:an?|the)\ (?:error|problem)\b
    """,
    rf"""
    (?:我|目前|暂时|仍|还是|现在)?(?:{_WORDS["inability_zh"]})
    | (?:{_WORDS["operations_zh"]})都?失败
    | 很?(?:抱歉|遗憾).{{0,20}}(?:不|没|无|失败)
    """,
)
_BUT_DONE = _join_patterns(
    rf"""
    \b(?:but|however|so|instead|then|eventually|finally)\b.{{0,80}}\b(?:{_WORDS["outcomes"]})\b
    | \bnow\ (?:works|fixed|done)\b
    """,
    f"(?:但|不过|后来|最后|于是|最终|改用|现在).{{0,30}}(?:{_WORDS['outcomes_zh']})",
)
_PROPOSAL = _join_patterns(
    r"""
    \bwould\ you\ like\ (?:me\ )?to\b
    | \b(?:do\ you\ )?want\ me\ to\b
    | \bsh(?:all|ould)\ i\b
    | \b(?:may|can)\ i\ (?:go\ ahead|proceed|continue|start)\b
    """,
    "需要我 | 要不要我? | 是否需要 | 是否要 | 要我.{1,20}吗",
)
_OFFER = _join_patterns(
    r"""
    \b(?:anything|something)\ else\b
    | \blet\ me\ know\b
    | \bcan\ i\ help\ (?:you\ )?with\b
    | \bhow\ (?:does\ (?:that|this|it)\ (?:look|sound)|is\ that)\b
    | \b(?:does|is)\ (?:that|this|it)\ (?:work|ok|okay|look|help|answer|what)\b
    """,
    "还(?:有|需要|要)(?:什么|别的|其他|其它|我) | 可以吗[？?]?$ | 怎么样[？?]?$ | 有没有(?:其他|别的) | 满意吗",
)


def admits_failure(text: str) -> bool:
    """Return whether an agent says that it could not do it, and not that something else worked in the end."""
    end = text[-600:]
    return bool(_ADMISSION.search(end)) and not _BUT_DONE.search(end)


def asks_back(text: str) -> bool:
    """Return whether an agent waits for an answer that it needs; offers of more help wait for nothing."""
    last = text.rstrip()[-300:]
    return last.endswith(("?", "？")) and not _OFFER.search(last) and not _PROPOSAL.search(last)


def asks_leave(text: str) -> bool:
    """Return whether an agent asks for leave to do something: praise of that is consent, and no praise of what was
    done."""
    last = text.rstrip()[-300:]
    return last.endswith(("?", "？")) and bool(_PROPOSAL.search(last))


def offers_more(text: str) -> bool:
    return bool(_OFFER.search(text[-300:]) or _PROPOSAL.search(text[-300:]))


def is_problem(text: str) -> bool:
    """Return whether a statement complains of something: said to an agent, it asks for help."""
    return bool(_COMPLAINT.search(_NO_COMPLAINT.sub(" ", text))) or bool(_STUCK.search(text))


_STUCK = _join_patterns(
    rf"""
    \b(?:i|we)\ (?:{_WORDS["inability"]}|{_WORDS["trouble"]})\b
    | \b(?:my|our|the)\ [\w\ -]{{2,40}}\ (?:{_WORDS["out_of_order"]})\b
    """,
    f"我.{{0,8}}(?:{_WORDS['trouble_zh']}) | 怎么办 | 一直(?:不|没|报错|失败) | 还没(?:到|收到|发)",
)
