"""Leaves out what is said in a role: 我们玩角色扮演吧，你是皇帝，我是丞相, until 不玩了."""

from __future__ import annotations

import re

from memories.text.clauses.sentences import split_sentences

_PROPOSED = (
    "(?:那|好|来|现在|今天|接下来|我们?|咱们?|[跟和陪]我|一起|再|请|你|可以|能不能|继续|开始|想|要|想要){0,4}"
    "(?:玩|来|演|做|搞|开始|进行)(?:一?[个下局场段次点])?[^，。]{0,6}?(?:角色扮演|情景剧|过家家|语[cC]|cosplay|跑团)"
    "(?:游戏)?(?:吧|好吗|好不好|怎么样|$|[，。！：:])"
)
_PLAYED = "(?:扮演|饰演|演|假装(?:是|成)?|装作|当|cos)"
# 你演老板，我是店员. 你是南方人，我是北方人 is no play, and 你当面试官，我当应聘者 has people speak of themselves.
_PAIR = (
    f"(?:你|您|助手)(?:来|就|现在|先)?{_PLAYED}(?!过|了)[^，。？我]{{1,12}}[，。]?(?:那)?我(?:来|就|先)?(?:{_PLAYED}|是|做)"
    "(?!我?自己|本人|[^，。]{0,4}(?:面试|应聘|求职|候选))[^，。？]{1,12}"
)
_BEGINS = re.compile(f"(?:^|[，。！])(?:{_PROPOSED}|{_PAIR})", re.IGNORECASE)
_ENDS = re.compile(
    "(?:不[玩演]了|[玩演]够了|[玩演]完了|出戏|到此为止|(?:角色)?扮演(?:就到这|结束|完毕)|(?:回到|回归)(?:现实|正题)"
    "|说(?:点)?正(?:经|事)的?|言归正传|退出角色|游戏结束|先不[玩演])(?:了|吧|啦|啊)*[，。！!~～ ]*"
)


def leave_out_roles(text: str, is_playing: bool) -> tuple[str, bool]:
    """Return what the message says outside of a play, and whether the play goes on behind it."""
    if not is_playing and not _BEGINS.search(text):
        return text, False
    kept: list[str] = []
    for sentence in split_sentences(text):
        rest = sentence
        if not is_playing and (begins := _BEGINS.search(rest)):
            kept.append(rest[: begins.start()])
            is_playing, rest = True, rest[begins.end() :]
        if is_playing and (ends := list(_ENDS.finditer(rest))):
            is_playing, rest = False, rest[ends[-1].end() :]
        if not is_playing:
            kept.append(rest)
    return "\n".join(part for part in kept if part.strip()), is_playing
