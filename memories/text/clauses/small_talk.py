"""Words that carry nothing to remember. A text made only of them gives no memory; one other word is enough to keep
it."""

from __future__ import annotations

import re
from collections.abc import Collection

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Kept short on purpose: it is measured on real talks, where even "It's Shia LaBeouf!" answers a question.
_EMPTY = frozenset(
    """
        hey heya hi hello hullo howdy hiya yo bye goodbye thanks thank thx ty you u so much very lot
        lots a wow whoa cool awesome great nice good wonderful amazing fantastic excellent perfect
        lovely sweet neat beautiful gorgeous to see ya later take care how are is was am been have
        i'm i you're we're what's whats up it's its that's thats it that this there yeah yes yep yup
        no nope sure ok okay k absolutely totally definitely certainly indeed agreed agree exactly
        right true of course really oh ah aww aw haha hah lol hmm wait worries problem prob welcome
        congrats congratulations well done glad hear the for from too again here all as always any
        time anytime got gotcha understood noted alright fine and but me my do doing going on
        morning evening afternoon night day dear friend buddy sounds looks seems just say said long
        no anything everything goes things going's hows how's be been has had with your bet i'd i'll
        will keep it's'll appreciate appreciated cheers please sorry pleasure pleased meet
        interesting fun funny sir ma'am
    """.split()
)
_EMPTY_ZH = re.compile(
    # None of them is made of others: what can be read in many ways takes long where it does not fit.
    "(?:你|您|好|大家好|哈喽|嗨|早上好|下午好|晚上好|早安|晚安|早|在吗|谢谢|多谢|感谢|谢了|非常|太|真|嗯|哦"
    "|噢|啊|呀|吧|呢|了|的"
    "|是|对|没错|行|可以|知道了|明白|收到|了解|没问题|不客气|再见|拜拜|回见|哈|嘿|呵|不错|很棒|棒|厉害|辛苦"
    "|最近怎么样|怎么样|吗|OK|ok|嘛|哇|加油|客气|没事|没关系)+"
)
_NOT_CHINESE_WORD = re.compile(r"[^\w]+")


def is_small_talk(text: str, names: Collection[str] = ()) -> bool:
    """Return whether a text holds nothing but greetings, thanks, praise and the names of those who talk."""
    if len(text) > 200:
        return False
    words = _WORD.findall(text.lower())
    if not words:
        return not any(character.isalnum() for character in text)
    if all(word in _EMPTY or _is_called(word, names) for word in words):
        return True
    return bool(_EMPTY_ZH.fullmatch(_NOT_CHINESE_WORD.sub("", text)))


# Said to an assistant, these carry nothing either; in a talk between people they may answer something.
_FACE = re.compile(r"[:;=]-?[)(DPp|/\\3]|<3|\^\^|[xX]D\b")
_EMPTY_TO_ASSISTANT = _EMPTY | frozenset(
    """
        saying testing test hmm hmmm uh um please that'll helps helped helpful works worked fixed
        brilliant super solved awesome makes sense
    """.split()
)
_EMPTY_TO_ASSISTANT_ZH = re.compile(
    r"""
    [啦哒呗喽咯呐诶欸哎唉] | 谢谢[你您]? | 解决了 | 搞定了 | 太好了 | 原来如此
    | 我?(?:就是?|只是)?随便(?:问问|聊聊|说说|看看) | 我?(?:就是|只是|就)(?:想)?问(?:一下|问)
    | 我已经说过?了 | 算了 | 不说了
    | (?:今天|外面|最近)(?:天气)?(?:真|好|太|挺|很|有点)+(?:冷|热|暖和|凉快|闷热?)
    | 今天天气(?:真|很|不错|挺)*好? | [你您](?:真|好|太|挺)+(?:聪明|贴心|细心|牛|会说话)
    """,
    re.VERBOSE,
)
_GOODBYE = (
    r"(?:(?<=^)|(?<=[,.!;] )|(?<=\band ))have (?:an? )?(?:really |very )?(?:good|nice|great|lovely|safe|wonderful"
    r"|brilliant|fantastic|pleasant|fun|restful|amazing|happy) (?:one|day|evening|night|weekend|week|time|rest|trip)"
    r"|(?:catch|speak|talk|chat|see|ttyl)(?: (?:you|ya|to you))? (?:later|soon|tomorrow|around)|ttyl"
    r"|(?:i've |i )?(?:gotta|got to|have to|must|better) (?:run|dash|go|fly|shoot)(?: now)?"
    r"(?=[\s,.!]*(?:$|speak|talk|bye))"
    r"|(?:i'm |i am )?off to (?:bed|sleep)(?: now)?|night night|nighty night|sleep well|ta ta|ta"
    r"|(?:ramadan|eid) (?:mubarak|kareem)|(?:merry|happy|blessed) (?:christmas|xmas|easter|diwali|hanukkah|eid|ramadan"
    r"|thanksgiving|halloween|new year|holidays)"
)
_WEATHER = "freezing|cold|hot|warm|chilly|sunny|rainy|windy|boiling|raining|snowing|pouring"
_EMPTY_PHRASE_TO_ASSISTANT = re.compile(
    r"\b(?:sorry,? (?:I'm|I am|im|to be|for being|about being) (?:so |a (?:bit|little) "
    r"|running )?late\b(?! (?:with|on|for|in)\b)|never ?mind|nvm|btw|by the way|just (?:curious|asking"
    r"|wondering|checking)|nice one|isn't it"
    r"|happy (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend)"
    rf"|{_GOODBYE}"
    rf"|it(?:'s| is) (?:(?:so|really|very) )?(?:{_WEATHER})(?: out(?:side)?)?(?: (?:today|again))*"
    r"|(?:lovely|nice|great|beautiful|terrible|awful|horrible) weather(?: today)?,?(?: innit)?)\b",
    re.IGNORECASE,
)


# "No idea.", "Not sure yet, to be honest": who says so to a question answers nothing.
_NO_ANSWER = re.compile(
    r"""
    ^(?:(?:um|uh|hmm+|well|honestly|oh|sorry|tbh)[,.]*\ )*(?:
        (?:i\ have\ |i've\ got\ |i've\ )?(?:no\ (?:idea|clue)|not\ the\ (?:foggiest|faintest)(?:\ idea)?)
        | (?:i'm\ |i\ am\ )?(?:not\ (?:\w+\ )?(?:sure|certain)|undecided|unsure)
        | (?:i\ )?(?:dunno|(?:do\ not|don't|dont|really\ don't)(?:\ (?:really|actually))?\ know)
        | (?:i\ )?have(?:n't|\ not|nt)\ (?:a\ clue|the\ (?:foggiest|faintest)(?:\ idea)?|decided)
        | beats\ me | who\ knows | (?:i\ )?can(?:'t|not)\ (?:say|remember|recall)
        | (?:hard|difficult|impossible)\ to\ say | no\ preference | (?:it\ )?depends
    )(?:\ (?:yet|really|right\ now|at\ the\ moment|at\ all|either|now|sorry))*
    (?:,?\ (?:to\ be\ (?:fair|honest)|tbh|sorry))?[.!…]*$
    """,
    re.IGNORECASE | re.VERBOSE,
)


def declines_answer(text: str) -> bool:
    """Return whether somebody who was asked something says only that they do not know."""
    return _NO_ANSWER.match(text.strip()) is not None


# "Heya Bex!".
_GREETED_BY_NAME = re.compile(
    r"(?:[Hh]ey|[Hh]eya|[Hh]iya|[Hh]i|[Hh]ello|[Hh]owdy|[Ww]otcha|[Yy]o|[Ss]up) [A-Z][a-z]+[!.,]*"
)


def is_courtesy(text: str) -> bool:
    """Return whether a message, or a part of it, says nothing about the person who talks to an assistant."""
    if is_small_talk(text) or _GREETED_BY_NAME.fullmatch(text.strip()):
        return True
    bare = _EMPTY_PHRASE_TO_ASSISTANT.sub(" ", _FACE.sub(" ", text))
    words = _WORD.findall(bare.lower())
    if (
        len(text) <= 200
        and any(map(str.isalpha, text))
        and all(word in _EMPTY_TO_ASSISTANT for word in words)
    ):
        return True
    return len(text) <= 40 and is_small_talk(_EMPTY_TO_ASSISTANT_ZH.sub("", bare))


def _is_called(word: str, names: Collection[str]) -> bool:
    """Names and their short forms: "Mel" for Melanie."""
    return any(name == word or (len(word) > 1 and name.startswith(word)) for name in names)
