"""What a user lets an agent know about its work, beside new requests: that it is good, wrong, or no longer wanted."""

from __future__ import annotations

import re
from enum import StrEnum

from memories.text.clauses.statements import is_hypothetical, is_question
from skills.reading.verbs import asks_for_action


class Sign(StrEnum):
    """CLOSES: nothing else is wanted. AGREES: go on. RETRIES: do it again, or otherwise."""

    CONFIRMS = "confirms"
    COMPLAINS = "complains"
    GIVES_UP = "gives up"
    RETRIES = "retries"
    AGREES = "agrees"
    CLOSES = "closes"
    PLANS = "plans"


def _join_patterns(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WORKS = _join_patterns(
    r"\b(?:it|that|this|everything|all|they|now|code|tests?|build|page|app|site|script|link"
    r"|login)\b(?: (?:is|are|now|all|just|finally|really|actually|indeed|does|do))* "
    r"(?:works?|working|worked|passes|passed|passing|runs?|fixed|solved|resolved|sorted|green|loads"
    r"|fine)\b(?! (?:at|for|as|from|in|on|with) (?:an? )?[A-Za-z])",
    r"\b(?:works?|working|worked) (?:now|fine|great|well|perfectly|like a charm|as expected|again"
    r"|beautifully|flawlessly)\b",
    r"^(?:it )?works[.!]*$",
    r"\b(?:that|this|you|it) (?:did it|does it|fixed it|solved it|has solved|was it|helped|helps)\b",
    r"\b(?:problem|issue|bug|error) (?:is |has been |was )?(?:solved|fixed|resolved|gone)\b"
    r"|\berrors? (?:is|are|has|have) gone\b",
    r"\b(?:is|'s|are|'re) (?:now )?(?:back(?: (?:up|online|again|to normal))?|up again|up and running"
    r"|online again)(?=[.!,]|$)",
    r"搞定了?|解决了|成功了|弄好了|修好了|没问题了|(?:可以|能|好)用了|(?:现在|终于|已经?)(?:可以|好|行"
    r"|正常)了|正常了|跑通了|通过了|收到了.{0,6}(?:没问题|很好)",
)
_PRAISE = _join_patterns(
    r"\b(?:thanks|thank (?:you|u)|thx|tks|ty|tysm|merci|danke|gracias|grazie|cheers|many thanks"
    r"|much appreciated|appreciate it|appreciated|perfect(?:ly)?|excellent|awesome|brilliant|fantastic"
    r"|wonderful"
    r"|amazing|lovely|superb|splendid|great(?! (?:deal|many|if))|nice(?:ly)?(?! to meet)|good (?:job"
    r"|work|one)|well done|nailed it|lgtm|bravo|spot on|beautiful|terrific"
    r"|outstanding|impressive|neat|sweet)\b",
    r"\b(?:that's|that is|this is|it's|it is|that was|looks?|looking|sounds?|seems) (?:all |exactly "
    r"|very |really |so |pretty |just |quite )*"
    r"(?:it|right|correct|perfect|great|good|fine|what i (?:wanted|needed|asked for|was looking for"
    r"|meant)|helpful|useful|done|ok(?:ay)?)\b",
    r"\bexactly (?:what|right)\b|\b(?:love|like) (?:it|this|that|the result)\b|\ball (?:good|set"
    r"|done)\b|\bhappy with (?:it|this|that|the)\b|^(?:(?:ok(?:ay)?|ah|oh|alright),? )?(?:got it"
    r"|understood|makes sense|that makes sense|i see now)\b|\bi(?:'m| am) (?:very |really )?(?:happy"
    r"|satisfied|pleased)\b",
    r"谢谢|多谢|感谢|谢了|辛苦|不错|很好|太好|挺好|真好|太棒|真棒|很棒|完美|漂亮|厉害|给力|满意"
    r"|正是我(?:要|想要)的|就是?(?:这样|这个)(?![吗么做办])|没毛病|(?:懂|明白|清楚)了(?![吗么])|牛|赞"
    r"|靠谱|(?:对|行|可以|好)了(?![吗么嘛])|没问题(?![吗么嘛])|👍|🎉|🙏",
)
_NO_PRAISE = _join_patterns(
    r"\b(?:not|n't|isn't|never|hardly|no longer|less than) (?:\w+ ){0,2}(?:perfect|great|good|nice"
    r"|right|correct|fine|ok|okay|helpful|useful|done|work\w*|what i|it\b|happy|satisfied|exactly)",
    r"\b(?:would|'d|could|will|might) be (?:\w+ )?(?:great|nice|good|perfect|lovely|helpful|fine"
    r"|awesome|excellent|appreciated)\b|\bmuch appreciated if\b|(?:thanks"
    r"|thank you)[^.!]{0,20} in advance|\bno,? (?:thanks|thank you)\b|\bthanks for nothing\b",
    r"不(?:太|是很|怎么|够|算)?(?:好|对|行|满意|可以|完美|理想)|没(?:有)?(?:解决|成功|搞定|弄好|修好"
    r"|通过)|先谢谢?[你您]?了?|提前(?:感谢|谢谢?)了?|还没(?:好|行|成)|好了吗|对了，",
)
_COMPLAINT = _join_patterns(
    r"\b(?:does|did|do|is|are|was|were|has|can|could|will|would|wo|ca)(?:n't|n’t|nt| not"
    r"|not) (?:\w+ )?(?:work\w*|help\w*|right|correct|load\w*|open\w*|start\w*|run|compile|pass|show"
    r"|what i|good|fix\w*|solved?|match|enough|done|exist)\b",
    r"\bnot (?:working|what i|right|correct|fixed|solved|helpful|good|quite)\b|\bno longer works?\b"
    r"|\bwon't (?:work|start|open|run|compile|load|turn|boot)\b",
    r"\bstill (?:\w+ )?(?:broken|fail\w*|wrong|not|the same|doesn't|don't|isn't|can't|gets?|getting"
    r"|sees?|seeing|crash\w*|errors?|an error|missing|slow|have|has|there|shows?|nothing)\b"
    r"|\bstill (?:no|an?) \w+",
    r"\b(?:that|this|it|the \w+(?: \w+)?)(?:'s| is| was| are| were|) (?:all |completely |totally |just "
    r"|clearly |simply |now )*(?:wrong|incorrect|broken|failing|false|useless|terrible|worse|bad|not)\b",
    r"^(?:no,? )?(?:wrong|incorrect|false|nope)[.!,]*(?:\s|$)|\bwrong (?:one|file|date|city|number"
    r"|order|answer|format|person|address|version|result|again)\b",
    r"\b(?:same|another|new|an?|the|this|that) (?:\w+ )?(?:error|exception|problem|issue"
    r"|bug)s?(?: (?:again|now|still|persists?|remains?|occurs?|appears?))\b|\b(?:error"
    r"|exception) again\b|\b(?:same|another) (?:error|problem|issue|bug)\b",
    r"\b(?:get|got|gets|getting|see|seeing|throws?|threw|shows?|raises?|gives?|gave) (?:me )?(?:an?|the"
    r"|this|another|some|the same|errors?)? ?(?:\w+ ){0,3}(?:error|exception|failure|crash|traceback"
    r"|[45]\d\d)s?\b",
    r"\b(?:it|that|this|build|tests?|page|app|deploy\w*|login|site|script|server|import|upload|download"
    r"|payment|installation|command|query) (?:just |now |still |keeps? |always )*(?:fail(?:s|ed|ing)?"
    r"|crash(?:es|ed|ing)?|broke|breaks|hangs?|freezes|times out|timed out)\b",
    r"\b(?:i|we) (?:did not|didn't|never) (?:ask|asked) (?:for|you)\b|\b(?:is|are|was|were)(?:n't"
    r"| not) (?:listed|marked|mentioned|included|shown|in (?:there|it))\b",
    r"\byou (?:missed|forgot|broke|misunderstood|ignored|skipped|deleted|did not|didn't|have not"
    r"|haven't|got it wrong|made a mistake|mixed up)\b|\bnot what i\b|\bmakes? (?:it|things) worse\b",
    r"不行(?!了?[吗么])|不对(?!吗)|不能(?:用|打开|运行|访问|登录)|用不了|打不开|登不上|登录不上|连不上"
    r"|跑不(?:起来|通|了)|没(?:有)?(?:用|效果|反应|解决|成功|搞定|弄好|修好|变化|生效)|还是(?:不|报错"
    r"|有问题|有错|一样|老样子|失败|没|错|同样)",
    r"报错|出错了|又(?:报错|失败|崩|出错|不行|错)|失败了|(?:弄|搞|写|算|做|理解|发|订|填)错了?|错了"
    r"|有(?:问题|错误|bug|漏洞)(?![吗么请可])|不是我(?:要|想要|想|说)的|漏了|崩溃|卡死|不工作|不起作用"
    r"|坏了|太差|没法用",
)
_NO_COMPLAINT = _join_patterns(
    r"\bno (?:more )?(?:errors?|problems?|issues?|complaints?)\b|\bnot (?:a|any) (?:problem|issue)\b"
    r"|\bwithout (?:any )?(?:errors?|problems?)\b|\bnot bad\b|\bcan't (?:complain|thank)\b"
    r"|\bnothing wrong\b|\bno problem\b",
    r"没(?:有)?(?:什么|任何)?(?:问题|毛病|错误|报错)|不再报错|不报错了|不错",
)
_GIVING_UP = _join_patterns(
    r"\bnever ?mind\b(?! the rest\b)|\bnvm\b|\b(?:forget|drop|scrap|abandon|skip|leave|cancel|abort"
    r"|stop|ditch) (?:about )?(?:it|this|that|the (?:whole )?(?:thing|task|idea)|that task"
    r"|this task)\b(?! (?:to|on|in|at|for(?! (?:today|now|the moment|good)\b)|with|out|here|there|from"
    r"|aside|into|as)\b)",
    r"\b(?:i|we)(?:'ll| will| am| 'm|'m|'re| are)? (?:give|gave|giving) up\b|\bdon't bother\b"
    r"|\bdo not bother\b|\bnot worth (?:it|the)\b|\b(?:do not|don't|no longer) need (?:it|this|that"
    r"|you to)\b(?! to\b)|\bno longer needed\b|\bforget (?:about )?(?:the|my|our|those|these) \w+",
    r"\b(?:i|we)(?:'ll| will|'m going to| am going to) (?:just )?(?:do|handle|fix|write|find|ask"
    r"|figure) (?:it|this|that|this one)?\s?(?:out )?(?:myself|ourselves|by hand|manually|someone else"
    r"|somebody else)\b|\blet's (?:stop|leave it|drop it)\b",
    r"算了|不(?:弄|搞|做|查|订|修|要|管)了|放弃(?!率)|别(?:弄|管|搞|做|查|修|订|继续)了|不需要了"
    r"|不用(?:弄|做|查|修|管|继续|麻烦)?了|(?:任务|这个|这事)?取消吧|先这样吧|我自己(?:来|弄|做|查|解决"
    r"|处理)|就此打住|没救了",
)
_RETRY = _join_patterns(
    r"\b(?:try|do|run|check|send|look|test|start|attempt|generate|write) (?:(?:it|that|this|them"
    r"|once) )?(?:once more|again|one more time)\b|\b(?:re-?try|redo|re-?run|re-?do|re-?check|re-?send"
    r"|re-?generate|start over|once more|one more time)\b",
    r"\b(?:fix|correct|change|adjust|update|repair|undo|revert|improve|shorten|redo|rewrite|rephrase"
    r"|modify|tweak|make|move|put) (?:it|that|this|them|these|those|the (?:mistake|error|problem|issue"
    r"|bug|result|answer|output|wording|tone|text))\b(?! (?:file|page)\b)",
    r"\b(?:use|try|take|with|choose|pick) (?:[\w'.-]+ ){1,6}instead\b|\binstead (?:use|try|of)\b"
    r"|\binstead[.!]*$|\brather than\b|\bshould (?:have (?:been|used)|be|say|use|read|look)\b|\b(?:i"
    r"|we) (?:meant|said|asked for|wanted)\b|\bnot (?:the )?[\w-]+,? but\b",
    r"\b(?:much |a bit |a little |even )?(?:shorter|longer|bigger|smaller|larger|simpler|clearer|darker"
    r"|lighter|friendlier|formal|detailed|concise)(?:,? please)?[.!]*$|\btoo (?:long|short|big|small"
    r"|large|complicated|formal|casual|vague|dark|light|expensive|slow|many|much|few)\b",
    r"太(?:长|短|大|小|复杂|简单|正式|随意|贵|慢|啰嗦|多|少|笼统)了?|(?:再|更|精简|简短|详细|简单|正式"
    r"|口语|具体|短|长|大|小)[^，。]{0,3}一?[点些](?=$|[，。！!吧])|重试|重新|再(?:试|来|做|查|写|跑|发"
    r"|弄|检查|确认|看|生成)一?[次遍下]?|(?:改|换)(?:成|为|用)|应该(?:是|用|改|写)|我(?:说|指|要"
    r"|想要)的是|(?:修|改|弄|调|换|修复)一下(?=$|[，。！!吧])|修复它|而不是|不要用.{1,12}(?:用|改)",
)
_AGREEING = _join_patterns(
    r"^(?:yes|yeah|yep|yup|sure|ok(?:ay)?|alright|all right|right|correct|of course|absolutely"
    r"|definitely|certainly|please do[.!]*$|go ahead|go on|continue|proceed|sounds good|do it"
    r"|confirm(?:ed)?|agreed|fine|good idea|that works for me|k)\b",
    r"^(?:是的?|对的?|好的?|好啊|好呀|行|可以|嗯+|没错|当然|继续|同意|确认|就这么办|去吧|开始吧|请继续"
    r"|ok)(?:[，,。！!吧啊呀的]|$)",
)
_CLOSING = _join_patterns(
    r"^(?:no,? )?(?:that's|that is|that will be|that'll be|this is) (?:all|it|everything)\b"
    r"|\bthat's all\b|\bnothing (?:else|more)\b|^no,? (?:thanks|thank you)\b|^(?:no|nope)[.!]*$"
    r"|\b(?:good)?bye\b|\bwe(?:'re| are) done\b|\bi(?:'m| am) done\b",
    r"就这些|没(?:有)?(?:别的|其他|其它)|没(?:有)?了[。！!]?$|不用了|不需要了|再见|拜拜|先这样",
)
_PLANNING = _join_patterns(
    r"\blet'?s (?:first )?(?:plan|think|discuss|talk about|brainstorm|start by (?:planning|discussing)"
    r"|figure out)\b|\b(?:what|how) (?:should|do|shall) we (?:do|start|begin|approach|plan|tackle)\b"
    r"|\bwhat(?:'s| is) (?:the|your|our) plan\b"
    r"|\bbefore (?:we|you|i) (?:start|begin|do anything)\b|\b(?:i'm|i am|we're|we are) (?:thinking"
    r"|considering|planning|wondering)\b|\bthe plan is\b|\bour (?:goal|plan|approach) is\b",
    r"(?:我们|先)(?:来)?(?:想想|讨论|规划一下|计划一下|商量|聊聊)|(?:打算|计划)(?:先|怎么|如何|在|是)"
    r"|接下来(?:做什么|怎么做|的计划)|(?:从哪里?|怎么)(?:开始|入手)|有什么(?:计划|思路|方案)|我在(?:想"
    r"|考虑)",
)


def find_signs(sentence: str, language: str) -> frozenset[Sign]:
    """Of one sentence."""
    text = sentence.replace("’", "'").strip()
    signs = {sign for sign, pattern in _PATTERNS if pattern.search(text)}
    signs |= _find_judgement(text, language)
    if Sign.GIVES_UP in signs and _WORKS.search(text) and Sign.COMPLAINS not in signs:
        signs.discard(Sign.GIVES_UP)
    if Sign.COMPLAINS in signs:
        signs.discard(Sign.CONFIRMS)
    return frozenset(signs)


_PATTERNS = (
    (Sign.GIVES_UP, _GIVING_UP),
    (Sign.RETRIES, _RETRY),
    (Sign.AGREES, _AGREEING),
    (Sign.CLOSES, _CLOSING),
    (Sign.PLANS, _PLANNING),
)


def _find_judgement(sentence: str, language: str) -> set[Sign]:
    signs = set()
    if _COMPLAINT.search(_NO_COMPLAINT.sub(" ", sentence)):
        signs.add(Sign.COMPLAINS)
    if is_question(sentence, language) or is_hypothetical(sentence, language):
        return signs
    praised = _NO_PRAISE.sub(" ", sentence)
    works = _WORKS.search(praised) and not _NO_PRAISE.search(sentence)
    if works or (_PRAISE.search(praised) and not _is_polite_order(sentence, language)):
        signs.add(Sign.CONFIRMS)
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
    r"\b(?:i|we)(?:'m| am| was| were|'re| are)? (?:sorry,? but )?(?:i )?(?:still )?(?:unable|not able"
    r"|afraid i (?:can't|cannot)) ?(?:to\b)?|\b(?:i|we) (?:can't|cannot|can not|couldn't|could not"
    r"|failed to|wasn't able|was not able|were unable|don't have (?:access|permission|the ability)"
    r"|do not have (?:access|permission))\b",
    r"\b(?:unfortunately|sorry|regret)\b.{0,80}\b(?:not|n't|fail\w*|unable|impossible|error|no way)\b"
    r"|\b(?:is|was|it's) (?:not possible|impossible)\b|\b(?:attempts?|request|task|operation|deployment"
    r"|build|upload|download|payment|booking|order|search|call|command|transfer|installation|import"
    r"|export|query|update|push) (?:has |have )?failed\b|\bgiving up\b|\bran into (?:an?|the) (?:error"
    r"|problem)\b",
    r"(?:我|目前|暂时|仍|还是|现在)?(?:无法|没法|没办法|做不到|没能|未能|不能(?!再))|(?:操作|任务|请求"
    r"|部署|预订|上传|支付|尝试|执行)(?:都)?失败|很?(?:抱歉|遗憾).{0,20}(?:不|没|无|失败)",
)
_BUT_DONE = _join_patterns(
    r"\b(?:but|however|so|instead|then|eventually|finally)\b.{0,80}\b(?:works?|worked|succeeded|fixed"
    r"|found|done|managed|used|switched|completed|solved|created|is now|resolved)\b|\bnow (?:works"
    r"|fixed|done)\b",
    r"(?:但|不过|后来|最后|于是|最终|改用|现在).{0,30}(?:成功|可以|好了|找到|完成|解决|通过|正常)",
)
_PROPOSAL = _join_patterns(
    r"\bwould you like (?:me )?to\b|\b(?:do you )?want me to\b|\bsh(?:all|ould) i\b|\b(?:may"
    r"|can) i (?:go ahead|proceed|continue|start)\b",
    r"需要我|要不要我?|是否需要|是否要|要我.{1,20}吗",
)
_OFFER = _join_patterns(
    r"\b(?:anything|something) else\b|\blet me know\b|\bcan i help (?:you )?with\b"
    r"|\bhow (?:does (?:that|this|it) (?:look|sound)|is that)\b|\b(?:does|is) (?:that|this|it) (?:work"
    r"|ok|okay|look|help|answer|what)\b",
    r"还(?:有|需要|要)(?:什么|别的|其他|其它|我)|可以吗[？?]?$|怎么样[？?]?$|有没有(?:其他|别的)|满意吗",
)


def admits_failure(text: str) -> bool:
    """Whether an agent says that it could not do it, and not that something else worked in the end."""
    end = text[-600:]
    return bool(_ADMISSION.search(end)) and not _BUT_DONE.search(end)


def asks_back(text: str) -> bool:
    """Whether an agent waits for an answer that it needs; offers of more help wait for nothing."""
    last = text.rstrip()[-300:]
    return last.endswith(("?", "？")) and not _OFFER.search(last) and not _PROPOSAL.search(last)


def asks_leave(text: str) -> bool:
    """Whether an agent asks for leave to do something: praise of that is consent, and no praise of what was done."""
    last = text.rstrip()[-300:]
    return last.endswith(("?", "？")) and bool(_PROPOSAL.search(last))


def offers_more(text: str) -> bool:
    return bool(_OFFER.search(text[-300:]) or _PROPOSAL.search(text[-300:]))


def is_problem(text: str) -> bool:
    """Whether a statement complains of something: said to an agent, it asks for help."""
    return bool(_COMPLAINT.search(_NO_COMPLAINT.sub(" ", text))) or bool(_STUCK.search(text))


_STUCK = _join_patterns(
    r"\b(?:i|we) (?:can't|cannot|can not|could not|couldn't|am unable|am not able|'m unable"
    r"|don't know how|have (?:an?|the) (?:problem|issue|error)|am stuck|'m stuck|forgot my|lost my)\b"
    r"|\b(?:my|our|the) [\w -]{2,40} (?:won't|doesn't|isn't|is not|has not|hasn't|never|keeps?"
    r"|is (?:broken|down|late|missing|lost|stuck|slow))\b",
    r"我(?:.{0,8})(?:不能|无法|不会|找不到|忘了|丢了|卡住了|不知道怎么)|怎么办|一直(?:不|没|报错|失败)"
    r"|还没(?:到|收到|发)",
)
