"""Chinese statements about 用户, said to them: 用户住在杭州 -> 你住在杭州.

Rewritten only where that is certain; what is not, is quoted by the caller.
"""

from __future__ import annotations

import re

_QUOTED = re.compile('([“「『"][^”」』"\n]*[”」』"])')
_USER = re.compile("用户")
# A noun of its own: 用户体验, 新用户, 三位用户.
_OTHER_WORD_AFTER = re.compile(
    "^(?:体验|研究|界面|增长|调研|画像|运营|群|数|量|名|端|反馈|需求|手册|协议|们)"
)
_STARTS = re.compile("(?:^|[，,。；;：:！!？?、\\s（()）]|但|而|并|且|因为|所以|如果|当|虽然|由于|以及)$")
# Words that take a person behind them: prepositions and verbs of giving, saying, causing.
_TAKES_PERSON = re.compile(
    r"""
    (?:
        和 | 跟 | 给 | 对 | 让 | 被 | 把 | 向 | 与 | 同 | 为 | 比 | 陪 | 帮 | 教 | 叫 | 请 | 带 | 找 | 问
        | 告诉 | 送 | 是 | 在 | 由 | 以 | 替 | 照顾 | 支持 | 通知 | 提醒 | 推荐 | 回答 | 帮助 | 称呼
    )$
    """,
    re.VERBOSE,
)


def address_user(text: str) -> str | None:
    """The text with 你 for 用户; None where 用户 may be another word."""
    written: list[str] = []
    has_user = False
    for at, piece in enumerate(_QUOTED.split(text)):
        if at % 2:
            written.append(piece)
            continue
        for match in _USER.finditer(piece):
            has_user = True
            before, after = piece[: match.start()], piece[match.end() :]
            is_person = (
                _STARTS.search(before) or _TAKES_PERSON.search(before) or after.startswith(("的", "自己"))
            )
            if not is_person or _OTHER_WORD_AFTER.match(after) or before.endswith("新"):
                return None
        written.append(_USER.sub("你", piece))
    return "".join(written) if has_user else None
