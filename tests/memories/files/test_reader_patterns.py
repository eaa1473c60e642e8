"""A hostile file is read in time that grows with its length: no pattern and no reader goes over it again and again."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryFile

import pytest

from memories.files.chunking import split_into_fragments
from memories.files.parser import parse_file
from memories.files.readers import markdown, reader_choice
from memories.files.values import FileKind, Purpose, Unreadable
from tests.support.documents.reader_patterns import MOST_GROWTH, PUMPED, pumped_text, seconds
from tests.support.waiting import LIMIT

_SCRIPT = """
import django
django.setup()
from tests.support.documents.reader_patterns import slow_patterns
for line in slow_patterns():
    print(line, flush=True)
print("done")
"""


def test_no_pattern_of_the_file_readers_takes_more_than_linear_time() -> None:
    """In a process of its own, which a pattern without end cannot keep."""
    done = subprocess.run([sys.executable, "-c", _SCRIPT], capture_output=True, text=True, timeout=240)

    assert done.stdout == "done\n", done.stdout + done.stderr[-2_000:]


def nested(mark: str, size: int) -> str:
    return "".join(mark * depth + "a\n" for depth in range(int((2 * size / len(mark)) ** 0.5)))


HOSTILE_MARKDOWN: dict[str, Callable[[int], str]] = {
    "blanks behind a heading": lambda n: "# a" + " " * n + "x",
    "headings": lambda n: "# a\n" * (n // 4),
    "brackets": lambda n: "[" * n,
    "nested brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "pictures": lambda n: "![" * (n // 2),
    "links": lambda n: "[a](" * (n // 4),
    "emphasis": lambda n: "**a " * (n // 4),
    "mixed emphasis": lambda n: "*a **b _c " * (n // 10),
    "stars": lambda n: "a**" * (n // 3),
    "ticks": lambda n: "".join("`" * i + " " for i in range(int((2 * n) ** 0.5))),
    "tags": lambda n: "a <b " * (n // 5),
    "comments": lambda n: "<!--" * (n // 4),
    "quotes in one line": lambda n: ">" * n,
    "ever deeper quotes": partial(nested, ">"),
    "ever deeper lists": lambda n: "".join(" " * 2 * i + "- a\n" for i in range(int(n**0.5))),
    "lists in one line": lambda n: "- " * (n // 2) + "a",
    "lists": lambda n: "- a\n" * (n // 4),
    "columns": lambda n: "|a" * (n // 4) + "\n" + "|-" * (n // 4),
    "rows": lambda n: "a|b\n-|-\n" + "x|y\n" * (n // 4),
    "definitions": lambda n: '[a]: x "' + "a\n" * (n // 2),
    "fences": lambda n: "```a`\n" * (n // 6),
    "lines under headings": lambda n: "a\n=\n" * (n // 4),
    "one long word": lambda n: "a" * n,
    "full stops": lambda n: ". " * (n // 2),
}


@pytest.mark.parametrize("name", HOSTILE_MARKDOWN)
def test_hostile_markdown_takes_time_by_its_length(name: str) -> None:
    make = HOSTILE_MARKDOWN[name]

    def read(size: int) -> None:
        document = markdown.read(io.BytesIO(make(size).encode()), 500)
        list(split_into_fragments(document.blocks, Purpose.KNOWLEDGE))

    read(100)
    usual, took = seconds(lambda: read(1_250)), seconds(lambda: read(10_000))
    assert took < max(0.2, MOST_GROWTH * usual)


TEXTS = [FileKind.TXT, FileKind.MD, FileKind.CSV, FileKind.JSON, FileKind.XML, FileKind.HTML]


@pytest.mark.parametrize("kind", TEXTS)
def test_readers_of_texts_get_over_hostile_lines(kind: FileKind) -> None:
    read = reader_choice.load_reader(kind)

    def read_all(text: str) -> None:
        content = f"<a>{text}</a>" if kind == FileKind.XML else text
        try:
            document = read(io.BytesIO(content.encode()), 500)
        except Unreadable:
            return
        list(split_into_fragments(document.blocks, Purpose.KNOWLEDGE))

    for piece in PUMPED:
        took = seconds(lambda: read_all(pumped_text("", piece, 4_000)))  # noqa: B023
        if took >= 0.05:
            short = seconds(lambda: read_all(pumped_text("", piece, 500)))  # noqa: B023
            assert took < MOST_GROWTH * short, piece


def test_forty_kilobytes_of_blanks_are_read_as_soon_as_words() -> None:
    """What held a worker for 15 seconds."""
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    with TemporaryFile() as file:
        file.write(b"# a" + b" " * 40_000 + b"x\n\nBins are blue.")
        file.seek(0)
        parsed = parse_file(file, FileKind.MD, 200, Purpose.MESSAGE, seconds=LIMIT)

    assert [fragment.text for fragment in parsed.fragments][-1] == "Bins are blue."
    assert getrusage(RUSAGE_CHILDREN).ru_utime - before < 10


SAID = {
    "policy": (
        "---\ntitle: Policy\n---\n# **Travel** #\n\nTrains *are* [first class](http://a.b) ![map](c.png).\n",
        ["title: Policy", "Trains are first class map."],
    ),
    "items": (
        "Bring:\n- a tent\n- a **lamp**\n  with oil\n1. Go\n2. Come\n",
        ["- a lamp\nwith oil", "2. Come"],
    ),
    "items of other signs": (
        "须提交：\n• 申请表\n（一）发票\n一、收据\n",
        ["• 申请表", "（一）发票", "一、收据"],
    ),
    "code": ("```python\nx = *1*\n```\n", ["```python\nx = *1*\n```"]),
    "footnotes": ("[注]: 见附录\n\n[1]: Smith 2020\n", ["[注]: 见附录", "[1]: Smith 2020"]),
    "sums": ("2 * 3 * 4 = 24 and snake_case_name\n", ["2 * 3 * 4 = 24 and snake_case_name"]),
    "indented": ("    Indented words are no code.\n", ["Indented words are no code."]),
    "underlined text": ("first line\nsecond line\n---\nafter\n", ["first line\nsecond line", "after"]),
    "too deep": (">" * 80 + " still read\n", [">" * 80 + " still read"]),
    "quoted": ("> We close at six.\n> On Fridays at four.\n", ["We close at six.\nOn Fridays at four."]),
    "wide table": ("|a" * 300 + "\n" + "|-" * 300 + "\n", ["|a" * 300 + "\n" + "|-" * 300]),
    "table": ("|项目|额度|\n|--|--|\n|餐费|**25**|\n", ["项目: 餐费; 额度: 25"]),
}


@pytest.mark.parametrize("name", SAID)
def test_markdown_says_what_its_reader_sees(name: str) -> None:
    content, expected = SAID[name]

    blocks = [block.text for block in markdown.read(io.BytesIO(content.encode()), 50).blocks]

    assert [text for text in expected if text not in blocks] == [], blocks
