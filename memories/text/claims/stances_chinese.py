"""Stances in Chinese that name no liking: what somebody avoids, insists on, or does only one way.

最怕跟团, 一听就烦 and 绕着走 are aversions, 住酒店我一定要高楼层 and 非现磨不喝 insist, and 能发文档解决的就别开 is a
rule of one's own. What others demand, what is due on a day and what is only so for now is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

STANCE = "用户直接表明自己回避或坚持什么。"

_OF_OTHERS = re.compile(
    r"""
    老板 | 领导 | 经理 | 上司 | 客户 | 甲方 | 老师 | 医生 | 大夫 | 护士 | 教练 | 公司 | 单位 | 学校 | 医院
    | 银行 | 规定 | 要求 | 政策 | 法律 | 物业 | 房东 | [爸妈爹娘哥姐弟妹爷奶公婆] | 媳妇 | 孩子 | 女儿
    | 儿子 | 宝宝 | 朋友 | 同事 | [他她你您] | 别人 | 大家 | 人家 | [让叫逼劝](?:我|用户)
    """,
    re.VERBOSE,
)
# Only now, or only once.
_PASSING = re.compile(
    r"""
    [今明后昨前]天 | 今[早晚] | 明[早晚] | [这上下]次 | [这上下]个?[周月]
    | (?:周|星期|礼拜)[一二三四五六日天末] | [今明去]年 | 最近 | 近来 | 这[几两阵段] | 刚 | 暂时 | 目前
    | 年[底前内] | [0-9一二两三四五六七八九十]+[月号日点] | 之前 | 以前 | 曾经 | 小时候 | 本来 | 原来
    | 要是 | 如果 | 万一 | 可能 | 打算 | 准备 | 计划 | 希望 | 下[周月] | [吗么？?]$
    """,
    re.VERBOSE,
)
# Fear of what may happen is no taste: 最怕孩子生病, 最怕赶不上飞机.
_WORRY = re.compile(
    r"""
    怕(?:
        [^，]{0,6}(?:
            出事 | 生病 | 来不及 | 赶不上 | 错过 | 迟到 | 失[败业眠去] | 不[好够到行来会] | 没[人钱时]
            | 突然 | 万一 | 丢 | 死 | 复发 | 感染 | 着凉 | 感冒 | 裁员 | 担心
        )
        | 是 | 了$
    )
    """,
    re.VERBOSE,
)
_AVERSION = re.compile(
    r"""
    (?:我(?:这人|这个人)?|^)(?:真的|就|也|还|是|从小|一直|其实)*(?:最|特别|超级?|尤其|顶)
    (?:怕|烦|嫌|膈应|抗拒|忌讳)(?![^，]{0,2}[的是]$)(?=[^，])
    | (?:看着|看到|看见|一看到?|一听到?|听到|想到|一想到?|闻到|一闻到?)[^，]{0,8}?就
      (?:烦|头大|头疼|来气|难受|反胃|恶心|想吐|火大|浑身难受)
    | 提不起(?:[^，]{0,4}?)(?:劲|兴趣|精神|兴致) | 敬而远之 | 敬谢不敏 | 避之不及 | 避而远之 | 能躲就躲
    | (?:都|一律|向来|总是|就|全|直接)(?:会|要)?(?:绕着?|躲着?|绕[道路])走$
    """,
    re.VERBOSE,
)
_INSISTS = re.compile(
    r"""
    我(?:都|也|还|每次|向来|一直|一般|通常)*(?:一定|必须|坚持|死活|说什么[都也])(?:都|也)?(?:得|要|不)
    (?!是)
    | 我[住坐睡吃喝买穿看听写读跑洗点选挑逛玩](?![完了过])[^，我]{1,5}(?:都|也)?(?:一定|必须)(?:得|要)
      (?!是)
    | ^(?:[住坐睡吃喝买穿看听写读跑洗点选挑逛玩]|出门|旅[行游]|开车)[^，我]{0,6}?(?:的时候|时)?我
      (?:都|也|还)?必须(?![加打上工交][班卡课作])
    | 非(?!常|但|洲|得|要|去|他|她)[^，不]{1,8}不(?:
          喝 | 吃 | 穿 | 用 | 看 | 买 | 住 | 坐 | 听 | 选 | 玩 | 戴 | 骑 | 读 | 跑 | 点 | 交 | 嫁 | 娶
      )(?!可)
    | 我?(?:
          一直 | 从来 | 一般 | 平时 | 现在 | 基本 | 向来 | 永远 | 买[^，]{1,4} | 喝[^，]{1,3}
          | 吃[^，]{1,3} | 坐[^，]{1,3}
      ){0,3}(?<![不没])只(?:喝|吃|穿|用|买|看|听|坐|住|选|挑|点|认|信|睡|玩|跑|骑|读|逛)(?!
          [了过得到剩着] | [0-9一二两三四五六七八九十几半][^，] | 药 | 能 | 会
      )(?![^，]*(?:就|[了过](?:$|，)))
    """,
    re.VERBOSE,
)
# What must be done somewhere, or to reach something, is a rule of others or a task.
_TASK = re.compile(
    r"""
    (?:必须|一定)(?:得|要)?(?:
        交 | 还 | 去 | 到 | 来 | 回 | 完成 | 考 | 拿 | 赢 | 过 | 办 | 搞 | 弄 | 做完 | 写完 | 找 | 成功
        | 赶 | 瘦 | 减 | 努力 | 加油 | 坚持 | 学会 | 治 | 吃药 | 复查 | 打卡 | 签 | 报
    )
    """,
    re.VERBOSE,
)
_OWN_RULE = re.compile(
    "^(?:我)?能(?!够)[^，]{1,12}?(?:的话|的)?(?:我)?(?:就|绝)(?:绝)?(?:别|不)(?!错|能|会|是|了|行|好)[^，]{0,9}[^，了]$"
)


def states_stance(clauses: Sequence[str]) -> bool:
    """Whether one of the clauses, in the first person or without any, says what the user avoids or insists on."""
    return any(_is_stance(clause) for clause in clauses)


def _is_stance(clause: str) -> bool:
    if _PASSING.search(clause) or _OF_OTHERS.search(clause):
        return False
    if _AVERSION.search(clause):
        return not _WORRY.search(clause)
    return bool(_OWN_RULE.match(clause)) or (bool(_INSISTS.search(clause)) and not _TASK.search(clause))
