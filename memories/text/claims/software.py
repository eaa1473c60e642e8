"""Software and systems by name and version: "We use Figma 116 and Jira 9.4"; the next version replaces the last."""

from __future__ import annotations

import re

from memories.text.slots.claim import Claim

_PRODUCT = (
    r"(?:[A-Z][\w+#-]{0,24}(?:[ -](?!\d)[A-Z][\w+#-]{0,24}){0,2}|[a-z]+(?:JS|SQL|OS|DB)|iOS|iPadOS|macOS"
    r"|npm|node|python|java)"
)
_VERSION = r"v?\d{1,4}(?:\.\d{1,4}){0,3}(?:\.x)?(?: ?(?:LTS|beta|Pro|Home))?"
_NAMED = re.compile(
    rf"(?P<product>{_PRODUCT}) (?:version )?(?P<version>{_VERSION})(?![\w%€$/:]|-\w| ?(?:am|pm|km|kg|cm"
    rf"|people|years?|days?|hours?)\b)"
)
_USING_EN = re.compile(
    r"""
    ^(?P<who>I|we|my\ (?:team|company|computer|laptop|phone|server|project))(?:\ (?:am|are|is))?
    (?:\ (?:now|currently|still|all|just|recently|have))*\ (?P<verb>
        use | uses | using | run | runs | running | on | upgraded\ to | updated\ to | switched\ to
        | migrated\ to | moved\ to | installed | downgraded\ to
    )[ ]
    """,
    re.IGNORECASE | re.VERBOSE,
)
_USING_ZH = re.compile(
    r"""
    ^我?们?(?:公司|团队|项目|电脑|手机|服务器)?(?:里|上)?(?:现在|目前|都|已经)*(?:
        在?用的?是? | 使用 | 运行 | 装的?是? | 安装了? | 升级到?了? | 升到了? | 更新到?了? | 换成了?
    )
    """,
    re.VERBOSE,
)
# Devices have models, which are no versions of theirs; calendars have years.
_NO_SOFTWARE = re.compile(
    r"""
    ^(?:
        iphone | ipad | macbook | pixel | galaxy | thinkpad | xps | surface | rtx | gtx | model | route
        | room | flight | gate | platform | may | june | july | march | april | august | january
        | february | september | october | november | december | monday | tuesday | wednesday | thursday
        | friday | saturday | sunday | day | week | version | chapter | level | grade | type | size | top
        | intel | amd | core | ryzen
    )\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LINKS = re.compile(r"\s*,\s*(?:and )?|\s+(?:and|&|with)\s+|、|和|以及")


def find_versions(clause: str, language: str) -> list[Claim]:
    """One claim for each product that a clause names with its version."""
    match = (_USING_ZH if language == "zh" else _USING_EN).match(clause)
    if not match or len(clause) > 300:
        return []
    named = [
        version
        for version in _NAMED.finditer(clause, match.end())
        if not _NO_SOFTWARE.match(version["product"])
    ]
    if not named or _LINKS.sub("", clause[match.end() : named[0].start()]).strip(" 是了the"):
        return []
    ending = clause[named[-1].end() :] if len(named) > 1 else ""
    return [_build_claim(clause, match.end(), version, ending, len(named), language) for version in named]


def _build_claim(
    clause: str, start: int, named: re.Match[str], ending: str, count: int, language: str
) -> Claim:
    statement = clause if count == 1 else f"{clause[:start]}{named.group()}{ending}"
    if language == "zh" and "我" not in statement:
        statement = f"我{statement}"
    title = f"{'软件版本' if language == 'zh' else 'Software'}: {named.group()}"
    return Claim(statement, f"software:{named['product'].lower()}", title)
