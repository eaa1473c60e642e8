"""Markdown of strangers is drawn with elements of ours; texts are compared line by line."""

from __future__ import annotations

import re
import time

import pytest

from console.ui.texts.line_diff import DiffRow, compare_lines
from console.ui.texts.markdown import render_markdown

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<a href="javascript:alert(1)" onclick="x()">x</a>',
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](vbscript:x)",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "![x](data:image/svg+xml;base64,PHN2Zz4=)",
    '[x](https://a.example "onmouseover=alert(1)")',
    '[x](https://a.example/"onmouseover="alert(1))',
    '<https://a.example/"onclick="x>',
    "<javascript:alert(1)>",
    '```"onload="alert(1)\nx\n```',
    "<svg><style>*{}</style></svg>",
    "| <b onclick=x> | b |\n| :- | -: |\n| <i style=x> | 2 |",
    "[x]: javascript:alert(1)\n\n[x]",
    "&lt;script&gt; &#60;script&#62;",
]
ELEMENTS = "p h2 h3 h4 h5 h6 ul ol li a img em strong code pre blockquote hr br s span div table thead tbody tr th td"
DRAWN = set(ELEMENTS.split())
ATTRIBUTES = {"href", "rel", "target", "src", "alt", "loading", "class", "start", "tabindex"}


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_of_a_text_becomes_an_element_an_attribute_or_an_address_that_runs(text: str) -> None:
    html = render_markdown(text)

    for tag, attributes in re.findall(r"<([a-z0-9]+)((?:\s[^>]*)?)>", html):
        assert tag in DRAWN, html
        assert set(re.findall(r'\s([a-z-]+)="[^"]*"', attributes)) <= ATTRIBUTES, html
    for address in re.findall(r'(?:href|src)="([^"]*)"', html):
        assert address.startswith("https://"), html


def test_pictures_and_links_of_the_package_lead_to_it_and_others_are_strangers() -> None:
    files = {"references/rules.md": "/files/rules", "SKILL.md": "/files/top"}
    pictures = {"assets/logo.png": "/pictures/logo"}

    html = render_markdown(
        "![Logo](assets/logo.png) [rules](references/rules.md) [gone](nothing.md)", "", files, pictures
    )
    back = render_markdown("[top](../SKILL.md) [out](../../etc/passwd)", "references/rules.md", files)
    far = render_markdown("![far](https://a.example/p.png) [near](https://a.example)")

    assert '<img src="/pictures/logo" alt="Logo" loading="lazy">' in html
    assert '<a href="/files/rules">rules</a>' in html
    assert '<a class="dead-link">gone</a>' in html
    assert '<a href="/files/top">top</a>' in back
    assert "passwd" not in back
    assert "<img" not in far
    assert far.count('rel="noopener noreferrer nofollow ugc"') == 2


def test_headings_stand_below_the_title_of_the_page() -> None:
    assert render_markdown("# One\n\n###### Six") == "<h2>One</h2>\n<h6>Six</h6>\n"


@pytest.mark.parametrize("text", ["[" * 49_000, "![" * 24_000, "_a*" * 16_000, "|\n" * 24_000, ">" * 49_000])
def test_a_text_that_is_hard_to_read_holds_nobody_up(text: str) -> None:
    began = time.process_time()

    render_markdown(text)

    assert time.process_time() - began < 10


def shapes(rows: list[DiffRow]) -> list[str]:
    return [row.kind for row in rows]


def test_tables_of_more_cells_than_anybody_reads_stay_text() -> None:
    rows = "|a" * 220 + "\n" + "|-" * 220 + "\n" + "|b\n" * 300

    assert "<td" not in render_markdown(rows)
    assert "<td" in render_markdown("|a|b|\n|-|-|\n|c|d|\n")


def test_changed_words_are_marked_and_far_lines_are_folded() -> None:
    old = "\n".join(f"line {number}" for number in range(20))

    rows = compare_lines(old, old.replace("line 10", "line ten"))

    assert shapes(rows) == ["gap", *["same"] * 3, "changed", *["same"] * 3, "gap"]
    assert [row.hidden for row in rows if row.kind == "gap"] == [7, 6]
    changed = rows[4]
    assert [(piece.kind, piece.text) for piece in changed.old] == [("same", "line"), ("old", " 10")]
    assert [(piece.kind, piece.text) for piece in changed.new] == [("same", "line"), ("new", " ten")]
    assert (changed.old_number, changed.new_number) == (11, 11)


def test_added_and_removed_lines_have_numbers_on_their_side_only() -> None:
    rows = compare_lines("a\nb", "a\nnew\nb")

    assert shapes(rows) == ["same", "new", "same"]
    assert (rows[1].old_number, rows[1].new_number) == (0, 2)
    assert compare_lines("same", "same") == []
