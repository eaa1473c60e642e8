"""Which sentences state something. Questions, requests and thought experiments do not."""

from __future__ import annotations

import re
from pathlib import Path

from memories.text.words.word_lists import load_alternatives

_WORDS = load_alternatives(Path(__file__).with_name("words.toml"), "statements")
# Without a question mark only the order of the words tells: "when does it" asks, "when I travel" does not.
_AUXILIARY = "is|are|was|were|do|does|did|can|could|will|would|should|has|have|had|am|'s|'re"
_WH = (
    rf"(?:(?:what|which|who|whose|whom|when|where|why|how)(?:'s|'re| (?:{_AUXILIARY})\b)|how (?:many|much"
    rf"|long|old|far|often|come|about|to)\b|what about\b|(?:what|which) (?!i\b|we\b"
    rf"|my\b)\w+ (?:{_AUXILIARY})\b)"
)
_QUESTION_EN = re.compile(
    rf"^(?:so |and |but |ok |okay |hey |well |also )?(?:{_WH}|(?:do|does|did|is|are|was|were|can|could"
    rf"|would|will|shall|should"
    r"|has|am|may) (?:i|you|we|they|he|she|it|there|this|that|the|my|your|anyone|someone|any)\b"
    r"|(?:have|had) (?:i|you|we|they|he|she|it|anyone|someone)\b|have (?:my|the|any)\b.*\byet$"
    r"|any (?:ideas?|suggestions?|tips"
    r"|recommendations?|advice)\b)",
    re.IGNORECASE,
)
# "Book club has moved to Sundays": behind the noun that it begins stands what is said of it.
_CLUB = (
    r"(?:(?<=book)|(?<=play)|(?<=order)|(?<=design)) (?!(?:wh|how|th[aio]|any|some|every|an?\b|my\b|our\b|your\b|it\b)"
    r"|\w+s\b)[a-z]+(?:['’]s been| (?:is|was|has|starts|begins|meets|runs|moved|got|ends))\b"
)
_REQUEST_EN = re.compile(
    rf"^(?:so |and |but |also |then |now |ok(?:ay)? |hey |well )?,? ?(?:(?:please|pls|kindly|just"
    rf"|also),? )*(?:(?:can|could|would|will) (?:you|we)\b|(?:do not "
    rf"|never )?(?:{_WORDS['request_verbs']})\b(?!-(?:plan|air|ended|source|top|minded|mic|book|play|set)\b)"
    rf"(?! (?:is|are|was|were)\b)(?!{_CLUB}))"
    r"|^(?:i|we) (?:just |really |also )?(?:want|need|would like|would love|wanted|am trying|was hoping"
    r"|am looking)(?: for)? "
    r"(?:you to|your (?:help|advice|opinion|suggestions?)|(?:some )?(?:help|advice|suggestions"
    r"|recommendations|information)\b"
    r"|to (?:ask|know|check|find out|see if|understand|hear|get (?:some|your))\b)"
    # "I should be grateful for assistance with a letter", "We'd appreciate some ideas for trips".
    r"|^(?:i|we)(?:['’]d| would| should) (?:be (?:very |so |most )?(?:grateful|glad|thankful|obliged)"
    r"|(?:really |much |greatly )?(?:appreciate|welcome)) (?:for |of )?"
    r"(?:some |any |a (?:bit|little) of |a little |your )?"
    r"(?:help|assistance|advice|ideas|suggestions?|tips|guidance|input|pointers|thoughts)\b"
    r"|^(?:i|we) (?:was |am |were )?(?:just |also )?(?:wonder(?:ing)?\b|have (?:a|another|one"
    r"|some)(?: \w+)? questions?\b|am curious\b|need help\b)",
    re.IGNORECASE,
)
# Requests whose content is made up, or is somebody else's text.
_CREATIVE = re.compile(
    rf"""
    ^(?:(?:please|can\ you|could\ you|would\ you|will\ you|now|and|also),?\ )*(?:help\ me\ )?(?:
        {_WORDS["creative_verbs"]}
    )\b
    | 翻译 | ^(?:请|帮我|麻烦)*(?:写|改写|润色|假装|扮演|想象|生成|编)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_HYPOTHETICAL_EN = re.compile(
    r"""
    \bif\ (?:i|we)\ (?:(?:only|ever|just)\ )?(?:
        were | was | had | lived | could | won | did | got | owned | knew | became | worked | moved | went
        | weren't | did\ not
    )\b
    | ^(?:
          suppose | imagine | assume | pretend | say | what\ if | let's\ say | let\ us\ say
          | hypothetically | in\ theory | for\ example | for\ instance | e\.g\.
      )\b
    | ^(?:i|we)\ wish\b | \bas\ if\ (?:i|we)\b | \bas\ though\ (?:i|we)\b | ^(?:had|were)\ i\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_QUESTION_ZH = re.compile(
    r"""
    (?:吗|么|嘛|呢)$
    | (?:
          (?:什么(?!的)|怎么|怎样|如何|哪(?!怕)|谁|多少|多久|多大|几点|几个)(?![一-龥]{0,8}?[都也])
          | 为什么 | 为何 | 有没有 | 是不是 | 能不能 | 可不可以 | 会不会 | 要不要 | 好不好 | 行不行 | 是否
      )
    """,
    re.VERBOSE,
)
_REQUEST_ZH = re.compile(
    rf"""
    ^(?:那|那么|然后|另外|还有|顺便|现在|再)?(?:
        {_WORDS["requests_zh"]}
    )
    """,
    re.VERBOSE,
)
_HYPOTHETICAL_ZH = re.compile(
    r"^(?:如果|假如|假设|要是|倘若|万一|比如|例如|想象)|(?:我)?(?:希望我是|要是我|如果我)|的话$"
)


def is_question(sentence: str, language: str) -> bool:
    bare = sentence.rstrip(" \"'”’)）!！~")
    if bare.endswith(("?", "？")):
        return True
    bare = bare.rstrip(".。…")
    return bool(_QUESTION_ZH.search(bare[:200]) if language == "zh" else _QUESTION_EN.match(bare))


def is_request(sentence: str, language: str) -> bool:
    return bool((_REQUEST_ZH if language == "zh" else _REQUEST_EN).match(sentence))


def is_hypothetical(sentence: str, language: str) -> bool:
    return bool((_HYPOTHETICAL_ZH if language == "zh" else _HYPOTHETICAL_EN).search(sentence))


def is_about_made_up_text(sentence: str) -> bool:
    """As in "Write a story in which I live in Paris": nothing in such a sentence is about the user."""
    return bool(_CREATIVE.search(sentence[:80]))


# Of these nothing needs to be so, of a letter or a price list what is the writer's own is.
_FICTION = re.compile(
    rf"""
    \b(?:
        {_WORDS["fiction"]}
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_fiction(sentence: str) -> bool:
    """Return whether a request for a text is for one in which nothing needs to be true, or hands over somebody's
    words."""
    return bool(_FICTION.search(sentence[:200]))


def hands_over_material(sentence: str, language: str) -> bool:
    """As in "Translate the following:": what comes next is somebody's text, no statement about the user."""
    if not is_request(sentence, language):
        return False
    return sentence.rstrip().endswith((":", "：")) or bool(_MATERIAL.search(sentence))


_MATERIAL = re.compile(
    rf"""
    \b(?:this|these|the\ following|my)\ (?:\w+\ )?(?:
        {_WORDS["materials"]}
    )\b
    | (?:这|以下|下面)(?:篇|段|封|句|个)?(?:文章|文字|文本|话|邮件|句子|段落|代码|内容)
    """,
    re.IGNORECASE | re.VERBOSE,
)
