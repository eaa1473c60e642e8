"""Which Chinese memories end because a debt is paid back or a card has run out.

小王把钱还用户了 ends 小王欠用户三千, and 健身卡到期了 ends 用户办了健身卡.
Half a debt ends nothing, and a card that was renewed is had all the same.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.text.slots.registry import join_relation_words

_HAN = "[\u4e00-\u9fff]"
_KIN = join_relation_words("zh")
_LATELY = "(?:已经|终于|都|全|也|昨天|今天|前天|上周|上个?月|刚|给)*"
_SUM = "(?=(?:了|着)?(?:[0-9一二两三四五六七八九十百千万几好多]|钱))"
_WHO = f"(?:用户的(?:{_KIN})|用户|{_HAN}{{1,4}}?)"
_OWES = re.compile(
    f"^(?P<debtor>{_WHO})(?:还|一共|总共|现在|目前)*欠(?:着|了)?(?P<creditor>用户(?:的(?:{_KIN}))?|{_HAN}{{1,4}}?){_SUM}"
)
_REPAID = (
    re.compile(
        f"^(?P<debtor>用户)?{_LATELY}把?欠(?P<creditor>(?!用户){_HAN}{{1,4}}?)的(?:钱|债|账)?(?:用户)?{_LATELY}"
        "还(?:清|完|上|掉)?了$"
    ),
    re.compile(
        f"^(?P<debtor>{_WHO}){_LATELY}把(?:欠(?:用户)?的)?(?:钱|债|账){_LATELY}还(?:清|给)?了?"
        f"(?P<creditor>用户(?:的(?:{_KIN}))?|{_HAN}{{1,4}}?)了?$"
    ),
    re.compile(f"^(?P<debtor>{_WHO}){_LATELY}还(?:清)?了(?P<creditor>用户|{_HAN}{{1,4}}?)的(?:钱|债|账)$"),
)
# 花呗还清了 of 花呗还欠四千.
_CLEARED = re.compile(f"^(?:用户的?)?(?P<thing>{_HAN}{{2,5}}?)(?:用户)?{_LATELY}还(?:清|完)了$")
_UNSURE = re.compile("[不没]|一半|部分|一些|先还|差|打算|准备|想|要是|如果|快|[吗？?]")
_RAN_OUT = re.compile(
    f"^(?:用户的?)?(?P<what>{_HAN}{{0,6}}?(?:卡|会员|证|券|票|套餐|合同|保险|签证|护照|课时|次数))(?:用户)?{_LATELY}"
    "(?:到期|过期|用完|失效|作废)了$"
)
_RENEWED = re.compile("(?<![不没])续(?:了|上|费|订|期|办)|(?:重新|又|新)(?:办|买|开|签)")
_HAS = "(?:有|办|订|买|开|充|续|签|持)"


def is_settled_in_chinese(clauses: Sequence[str], part: str) -> bool:
    """Return whether a clause says that the debt of the older clause was paid back, or that its card has run out."""
    return any(
        not _UNSURE.search(clause)
        and (
            _is_paid_back(clause, part)
            or _is_cleared(clause, part)
            or (_has_run_out(clause, part) and not any(map(_RENEWED.search, clauses)))
        )
        for clause in clauses
    )


def _is_paid_back(clause: str, part: str) -> bool:
    owes = _OWES.match(part)
    repaid = next((match for pattern in _REPAID if (match := pattern.match(clause))), None)
    if owes is None or repaid is None:
        return False
    return (repaid["debtor"] or "用户", repaid["creditor"]) == (owes["debtor"], owes["creditor"])


def _is_cleared(clause: str, part: str) -> bool:
    match = _CLEARED.match(clause)
    return (
        match is not None
        and re.match(f"(?:用户的?)?{match['thing']}(?:里|上)?(?:还|一共)*(?:欠|有)", part) is not None
    )


def _has_run_out(clause: str, part: str) -> bool:
    match = _RAN_OUT.match(clause)
    if match is None or re.match(f"用户的(?:{_KIN})", part) or not part.startswith("用户"):
        return False
    what = match["what"]
    return re.search(f"{_HAS}[^，]*?{what}|{what}[^，]*?(?:剩|有效)", part) is not None
