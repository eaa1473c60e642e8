"""The words by which people ask an agent to do something, in English and Chinese."""

from __future__ import annotations

import re

_VERBS = """add adjust analyse analyze apply approve archive arrange ask assign assemble attach backup block book bring build bump buy
calculate call cancel change check choose clean clear clone close cook collect combine commit compare compile complete compose
compress compute configure confirm connect convert copy correct count create crop cut debug define delete deliver deploy describe
design detect determine develop diagnose disable display document double-check download draft draw edit email e-mail enable
encrypt estimate evaluate examine execute expand explain export extract fetch figure fill filter find finish fix flag format
forward gather generate get give grab guide handle help hide highlight identify implement import improve increase decrease
insert inspect install integrate investigate invite invoice join list load locate look lower make map mark measure merge migrate
mock model modify monitor move mute name notify open optimise optimize order organise organize outline pack paste patch pause
pay paint peel pick plan play plot post prepare print prioritise prioritize process produce proofread propose provision publish pull purchase
push put query raise rank read rebuild recommend record recover redo reduce refactor refund register reinstall release remind
remove rename render renew repair repeat replace reply report request rerun research reschedule reserve reset resize resolve
respond restart restore resubmit retrieve retry return revert review revise rewrite roll rotate run save scan schedule scrape
search select send separate set ship shorten show sign simplify sketch solve sort split start stop store submit subscribe suggest
sum summarise summarize switch sync tag take tell test track train transfer transcribe translate transpose trim troubleshoot try
tune turn undo uninstall unpack unsubscribe update upgrade upload validate verify visualise visualize wrap write zip"""
# "Order 17 is late" asks for nothing, "Order a pizza" does.
_NOUNS = """backup block book build call change check copy count cut design display document draft estimate export file fix
flag help import increase decrease install invoice list load look log map mark model move name order outline patch plan plot post
print process pull push query rank read record refund release repair repeat report request research reset return review roll run
save scan schedule search set ship show sign sort split start stop store sum switch tag test track train transfer try turn update
upgrade upload email e-mail"""
_ALL = "|".join(sorted(set(_VERBS.split()), key=len, reverse=True))
_NOUN = "|".join(sorted(set(_NOUNS.split()), key=len, reverse=True))
_LEAD = (
    r"(?:(?:so|and|but|also|then|now|next|ok(?:ay)?|alright|right|hey|hi|hello|well|please|pls|plz|kindly|just|go ahead and|first|firstly|second|secondly"
    r"|third|finally|lastly|after that|afterwards|once done|when (?:that'?s )?done|in addition|additionally|by the way|btw|oh|great|thanks|thank you"
    r"|today|tonight|tomorrow|this (?:time|morning|afternoon|evening|week)|perfect|cool|nice|good|awesome|excellent|yes|yeah|yep|sure|no|actually|quickly|immediately|maybe|there|team|one more thing|another thing)\b[,:.!]*\s+)*"
)
_ASKING = (
    r"(?:(?:can|could|would|will|can't|couldn't) (?:you|we|u)\b|(?:i|we) (?:really |just |also |still |now )?(?:want|need|require|wanna|would like|'d like"
    r"|would love|'d love|would appreciate|'d appreciate|am looking|'m looking|are looking|am trying|'m trying|are trying|have to|was hoping|hope you)\b"
    r"(?! (?:it|that|this|them)?[.!]*$)|help (?:me|us)\b|(?:log|sign) (?:in|on|out|up|into)\b|(?:back|clean|follow|speed|look|dig|roll|hook|wire|scale|spin) (?:it |this |that |them )?(?:up|down|into|back)\b|let'?s (?!(?:plan|think|discuss|talk|brainstorm|see|say|start by|first)\b)"
    r"|(?:it would|it'd|would) be (?:great|nice|good|helpful|lovely) (?:if|to)\b|is it possible to\b|would you mind\b|how about you\b|i'd like\b|we'd like\b)"
)
LEAD_EN = re.compile(rf"^{_LEAD}", re.IGNORECASE)
_IMPERATIVE = re.compile(rf"^{_LEAD}(?P<verb>{_ALL})\b(?!['’:])", re.IGNORECASE)
_NAMED = re.compile(
    rf"^{_LEAD}(?:{_NOUN})\b (?!(?:if|whether|that|what|how|why|when|where|which|who|the|a|an|my|our|your|this|these|those|all|me|us|it|them|for"
    r"|to|with|on|in|up|out|off|down|any|some|every|each|again)\b)(?:\S+ ){0,3}(?:is|are|was|were|has|have|had|fails?|failed|looks?|seems?|does|did)\b",
    re.IGNORECASE,
)
# Behind "please" anything is an order, as long as it is not about how the talk itself goes.
_PLEASE = re.compile(
    r"\b(?:please|pls|kindly) (?!(?:wait|hold|note|see|bear|accept|forgive|excuse|don't|do|be|no|stop|find attached|and|but|or)\b)[a-z-]{2,}\b(?! ?$)",
    re.IGNORECASE,
)
_ASKS = re.compile(rf"^{_LEAD}{_ASKING}", re.IGNORECASE)

_VERBS_ZH = (
    "给[^，。]{1,8}?(?:写|发|打|回|订|买|做|转|寄|办|开)|帮|请|麻烦|给我|替我|为我|把|将|(?:写|做|查|订(?!单)|预订|预定|预约|买|购买|发|改|修|生成|创建|新建|建|删|更新|安排|整理|总结|概括|翻译|分析|计算|部署|运行|执行|检查|设置|设定"
    "|准备|画|列|推荐|介绍|解释|说明|告诉|提醒|搜|找|看看|看一下|读|下载|上传|安装|配置|测试|导出|导入|备份|合并|重命名|移动|复制|打开|关闭|启动|重启|停止|取消|退|申请|提交"
    "|转|算|设计|规划|制定|优化|重构|实现|加|添加|增加|去掉|移除|替换|比较|对比|统计|验证|确认|回复|联系|通知|记录|保存|调整|排查|清理|拆分|筛选|排序|汇总|调研|起草|审核|润色|校对|编写|开发|搭建|迁移|升级|打印|播放)(?!的|得|结果|失败|报错|不|没|还是|有问题|时|成功|.{0,2}[了过着](?!吧))"
)
_LEAD_ZH = (
    "(?:(?:那么|那就|那|然后|另外|还有|此外|顺便|现在|接着|接下来|最后|首先|其次|第[一二三四五]|先|再|并且|并|同时|以及|好的?|嗯|行|谢谢|你好|您好|嗨|麻烦|请|劳驾|可以|能不能|能否|可否|能|你|您|一下|也|还"
    "|对了|哦|啊|吧|呀)[，,：:、\\s]*)*"
)
LEAD_ZH = re.compile(f"^{_LEAD_ZH}")
_IMPERATIVE_ZH = re.compile(f"^{_LEAD_ZH}(?:{_VERBS_ZH})")
_ASKS_ZH = re.compile(
    f"^{_LEAD_ZH}(?:我们?(?:还|也|现在|就)?(?:想要?|要|需要|希望|打算让你|得)(?!想|走|睡|去忙)(?:你|让你|请你)?|能不能|能否|可否|可不可以|有没有办法|怎么|如何|求)"
)
_NOT_ASKED_ZH = re.compile(
    "^(?:请问一下$|请稍等|请等|麻烦了|请放心|把握|将来|加油|建议|退休|发现|发生|发烧|转眼|算了|做得|写得|查到了|加班|画面|看来)"
)


# "Before you start, …", "如果下雨，…": what is asked for stands behind it.
_OPENING = re.compile(
    r"^(?:before|when|whenever|if|once|after|as soon as|while|since|as|for|in|on|from|with|using|given|based on) [^,.?]{1,80}, (?:then )?",
    re.IGNORECASE,
)
_OPENING_ZH = re.compile("^(?:如果|要是|假如|等|当|在|根据|按照|针对|关于)[^，。？]{1,30}，(?:就|请)?")


def asks(clause: str, language: str) -> bool:
    """Whether the clause asks for something to be done, by an order or by a wish."""
    clause = (_OPENING_ZH if language == "zh" else _OPENING).sub("", clause, count=1)
    if language == "zh":
        return bool(
            (_IMPERATIVE_ZH.match(clause) or _ASKS_ZH.match(clause)) and not _NOT_ASKED_ZH.match(clause)
        )
    if _ASKS.match(clause):
        return True
    if _PLEASE.search(clause):
        return True
    return bool(_IMPERATIVE.match(clause)) and not _NAMED.match(clause)


def without_lead(clause: str, language: str) -> str:
    """Without "Great, now please" before it."""
    bare = (_SHORT_LEAD_ZH if language == "zh" else LEAD_EN).sub("", clause, count=1).strip(" ,，:：")
    if not bare:
        return clause
    return bare if language == "zh" else bare[0].upper() + bare[1:]


_SHORT_LEAD_ZH = re.compile(
    "^(?:(?:那么|那就|那|然后|另外|还有|此外|顺便|现在|接着|接下来|最后|首先|好的?|嗯|行|谢谢|你好|您好|嗨|对了|哦|啊)[，,：:、！!\\s]*)*"
)
