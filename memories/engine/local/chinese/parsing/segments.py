"""Cuts a Chinese message into sentences and clauses, and leaves out what nobody said in the user's own voice."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memories.engine.local.chinese.parsing.inversions import put_in_order
from memories.engine.local.chinese.parsing.lexis import KIN
from memories.text.claims.restating import restate_changes
from memories.text.clauses import statements
from memories.text.clauses.sentences import CODE_BLOCK, TIME_PREFIX, split_sentences
from memories.text.words.spacing import tidy_spacing

_ITEM = re.compile(
    r"""
    ^[ \t]{0,20}(?:
        [-*•·]{1,3}[ \t]* | \d{1,2}(?:[.、．)）][ \t]*|[ \t]+) | [（(]\d{1,2}[)）][ \t]* | [①-⑩][ \t]*
        | [一二三四五六七八九十]{1,2}、
    )(?=\S)
    """,
    re.VERBOSE,
)
_HEADER = re.compile("[：:][ \t]*$")
# Source code, logs, tables, shell commands, addresses, markup.
_CODE_LINE = re.compile(
    r"""
    ^\s*(?:
        [|+].*[|+]\s*$ | [{}\[\]();]+\s*$
        | (?:
              import | from | def | class | return | const | let | var | function | public | private | if
              | for | while | try | except | catch | select | insert | update | create | \#include
              | package | sudo | git | npm | pip | docker | cd | curl | echo | export
          )\b(?![^\n]*[\u4e00-\u9fff]{4})
        | (?:
              \[?\d{4}[-/]\d\d[-/]\d\d[T ] | \[?(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE)\b
              | at\ [\w$.]+\( | File\ \" | Traceback | Exception\b | \w+(?:Error|Exception)\b
          )
        | [$>#]\ ?\w | </?\w+[^>]*> | // | /\* | \w+\s*[=:]\s*[\w\"'\[{(].*[;,{]\s*$
        | [\w.]+\([^\u4e00-\u9fff]*\)[;:]?\s*$
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CODE_MARKS = re.compile(r"[{}<>;=|\\$()\[\]_\"]")
_HAN = re.compile("[\u3400-\u9fff]")
_OWN_VOICE = re.compile("^(?:对了|另外|顺便|还有|PS|ps|P\\.S|补充)")
_CLAUSE = re.compile(r"[，,；;](?!\d{3}(?!\d))|——+|[~～]+(?=.)|(?<=[\u4e00-\u9fff]),")
_BRACKETS = re.compile(
    r"""
    （[^（）]{0,80}） | \([^()]{0,80}\) | “[^“”]{0,200}” | 「[^「」]{0,200}」 | 『[^『』]{0,200}』
    | 《[^《》]{0,60}》 | \"[^\"]{0,200}\" | 【[^【】]{0,80}】
    """,
    re.VERBOSE,
)
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\ufe0f\u200d]+|\\[[\u4e00-\u9fff]{1,4}\\](?=$|[，。！])"
    "|[:;=]-?[)(DP](?!\\w)|\\^_?\\^|\\bhh+\\b|哈{2,}|233+"
)
_END = re.compile(r"[。！!？?；;…~～.]+[”’」』）)]*$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without its end mark, in clauses; `mark` is the end mark, `header` what a list began with."""

    clauses: tuple[str, ...]
    mark: str = ""
    header: str = ""

    @property
    def text(self) -> str:
        return "，".join(self.clauses)

    @property
    def is_question(self) -> bool:
        return "？" in self.mark or "?" in self.mark


def split_message(text: str) -> Iterator[Sentence]:
    """The sentences of a message in simplified characters, without code, logs, tables and text handed over."""
    header = ""
    is_material = False
    lines = list(_iterate_lines(restate_changes(text, "zh")))
    for place, line in enumerate(lines):
        bare = line.strip()
        if not bare:
            header = ""
            continue
        if is_material and not _OWN_VOICE.match(bare):
            continue
        is_material = False
        item = _ITEM.match(line)
        body = line[item.end() :] if item else line
        if header and (item or _is_row(bare)):
            yield from _iterate_item_sentences(body, header)
            continue
        header = ""
        for sentence in split_sentences(body.strip()):
            if statements.hands_over_material(sentence, "zh"):
                is_material = True
                break
            if _HEADER.search(sentence) and not item:
                cut = _cut_sentence(_HEADER.sub("", sentence))
                following = [row for row in lines[place + 1 :] if row.strip()]
                is_list = len(following) > 1 and all(
                    _ITEM.match(row) or _is_row(row.strip()) for row in following[:2]
                )
                header = _KEEP.sub("", cut.clauses[-1]) if is_list and cut.clauses else ""
                clauses = cut.clauses[:-1] if header else cut.clauses
                if clauses and not _POINTS_BELOW.match(clauses[-1]):
                    yield Sentence(clauses, "")
                continue
            yield _cut_sentence(sentence)


_POINTS_BELOW = re.compile("这|以下|下面|如下|报错|日志|代码")
_KEEP = re.compile("(?:你|请|帮我|麻烦)*(?:存|记|记录|保存)(?:一下|下|着|好)$")


def _is_row(line: str) -> bool:
    """Return whether a line without a list mark looks like one of a list: short, and no sentence."""
    return (
        len(line) <= 40
        and not re.search("[。！？!?]", line)
        and not re.match("(?:我|咱|帮|请|对了|另外)", line)
    )


def _iterate_lines(text: str) -> Iterator[str]:
    text = CODE_BLOCK.sub("\n", TIME_PREFIX.sub("", text.replace("\r\n", "\n").replace("\r", "\n"), count=1))
    for line in tidy_spacing(_EMOJI.sub("", text)).split("\n"):
        if not is_code(line):
            yield line


def is_code(line: str) -> bool:
    """Return whether a line is written for a machine, or is the row of a table."""
    bare = line.strip()
    if not bare:
        return False
    if _CODE_LINE.match(bare):
        return True
    han = len(_HAN.findall(bare))
    return len(_CODE_MARKS.findall(bare)) > max(3, han)


def _iterate_item_sentences(body: str, header: str) -> Iterator[Sentence]:
    sentences = list(split_sentences(body.strip()))
    for at, sentence in enumerate(sentences):
        cut = _cut_sentence(sentence, is_item=True)
        yield Sentence(cut.clauses, cut.mark, header if at == 0 else "")


_BLANK = re.compile("(?<=[\u4e00-\u9fff0-9])[ \u3000]+(?=[\u4e00-\u9fff])")


def part_at_blanks(sentence: str) -> str:
    return _BLANK.sub("，", sentence)


def _cut_sentence(sentence: str, is_item: bool = False) -> Sentence:
    """People who write without commas set blanks instead, but in an item of a list they part a name from its value."""
    sentence = " ".join(sentence.split())
    if not is_item:
        sentence = part_at_blanks(sentence)
    end = _END.search(sentence)
    mark = end.group() if end else ""
    body = sentence[: len(sentence) - len(mark)]
    if mark and mark[-1:] in "”’」』）)":
        kept = mark.lstrip("。！!？?；;…~～.")
        body, mark = body + kept, mark[: len(mark) - len(kept)]
    clauses = _join_beginnings(split_chinese_clauses(body if is_item else _part_spoken(body)))
    return Sentence(tuple(clauses if is_item else put_in_order(clauses)), mark)


# Speech written down has 然后 where a comma belongs.
_THEN = re.compile("(?<=[一-龥]{5})[嘛呗啊呢]?(?=然后(?!再))")
# 我们家那个小孩就是他有点那个感统失调: the subject said twice, and words that only fill a pause.
_SAID_TWICE = re.compile(
    f"(?P<who>(?:我们?|咱们?)家?的?(?:[那这]个)?(?:{KIN}))(?:就是|那个)[他她它](?=[有在不没是也都会能爱喜要想])"
)
_PAUSE = re.compile("(?<=有点|有些|特别)那个(?=[一-龥]{3})")


def _part_spoken(body: str) -> str:
    """The words with commas where speech that was written down has none."""
    return _PAUSE.sub("", _SAID_TWICE.sub(r"\g<who>", _THEN.sub("，", body)))


# 新学期开始，周三下午没课: since when, without which the next clause would be of one day.
_BEGINNING = re.compile(
    "(?:从|自)?(?:[^，我他她它]{0,4}(?:学期|学年|月份?|年|周|星期)|[^，我他她它]{1,4}[号天])(?:开始|起)"
)
_SAYS_WHEN = re.compile("(?:每个?)?(?:周|星期|礼拜)[一二三四五六日天末]|每|[上下]午|早上|晚上|中午")


def _join_beginnings(clauses: list[str]) -> list[str]:
    """The clauses, with one that only says since when put before a time in the next."""
    joined: list[str] = []
    for clause in clauses:
        if joined and _BEGINNING.fullmatch(joined[-1]) and _SAYS_WHEN.match(clause):
            joined[-1] += clause
        else:
            joined.append(clause)
    return joined


def split_chinese_clauses(body: str) -> list[str]:
    """Clauses at commas and the like, never inside brackets or quotation marks."""
    masked = _BRACKETS.sub(lambda match: "\0" * len(match.group()), body)
    clauses: list[str] = []
    start = 0
    for cut in _CLAUSE.finditer(masked):
        clauses.append(body[start : cut.start()])
        start = cut.end()
    clauses.append(body[start:])
    return [bare for clause in clauses if (bare := clause.strip(" ，,；;、"))]
