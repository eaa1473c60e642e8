"""What a document says is found again with its headings, tables, lists and pages, whatever program wrote it."""

from __future__ import annotations

import io
from datetime import date
from tempfile import TemporaryFile

import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from memories.files.chunking import SIZES, compute_text_width, split_into_fragments
from memories.files.parser import parse_file
from memories.files.readers.document import Block
from memories.files.values import FileKind, Fragment, Parsed, Purpose
from tests.support.documents import real_files

FILLER = "Every request is registered by the service desk and answered within five working days."


def parsed(kind: FileKind, content: bytes) -> Parsed:
    with TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        return parse_file(file, kind, 500, Purpose.KNOWLEDGE)


def passages(kind: FileKind, content: bytes) -> list[Fragment]:
    return list(parsed(kind, content).fragments)


def passage(fragments: list[Fragment], words: str) -> Fragment:
    """The one passage that says so."""
    [fragment] = [fragment for fragment in fragments if words in fragment.text]
    return fragment


def test_a_pdf_keeps_titles_tables_and_pages_and_loses_what_is_printed_on_every_page() -> None:
    table = [["Item", "Price", "Who approves"], ["Laptop", "1,200", "Head"], ["Mouse", "25", "Nobody"]]
    parts = ["# Handbook", "## Limits", *[FILLER * 5] * 30, "## Prices", table]
    fragments = passages(FileKind.PDF, real_files.pdf(*parts, header="Northwind Ltd - internal"))

    row = passage(fragments, "Laptop")
    assert "Item: Laptop; Price: 1,200; Who approves: Head" in row.text
    assert row.heading == "Handbook > Prices"
    assert row.page == fragments[-1].page > 2
    assert not [
        fragment for fragment in fragments if "Northwind" in fragment.text or "of 12" in fragment.text
    ]


def test_a_sentence_over_the_end_of_a_pdf_page_is_whole() -> None:
    sentences = " ".join(f"The rule number {number} is kept by all people." for number in range(400))
    fragments = passages(FileKind.PDF, real_files.pdf(sentences))

    assert {fragment.page for fragment in fragments} >= {1, 2, 3}
    whole = " ".join(fragment.text for fragment in fragments)
    assert all(f"The rule number {number} is kept by all people." in whole for number in range(400))
    assert all(fragment.text.endswith(".") for fragment in fragments)


def test_equal_lines_are_kept_where_no_letter_shape_of_their_font_is_at_hand() -> None:
    line = "设计软件由组长审批超过八百元的由部门经理审批并存档三年。"
    fragments = passages(FileKind.PDF, real_files.pdf(*["先填写申请表。", *[line] * 4, "以上各项均须存档。"]))

    assert "".join(fragment.text for fragment in fragments).count(line) == 4


def test_what_is_drawn_twice_at_one_place_to_look_bold_is_read_once() -> None:
    out = io.BytesIO()
    page = Canvas(out)
    pdfmetrics.registerFont(UnicodeCIDFont(real_files.CHINESE_FONT))
    page.setFont(real_files.CHINESE_FONT, 12)
    for _ in range(2):
        page.drawString(72, 700, "费用管理办法由部门经理审批并存档三年以备检查。")
    page.drawString(72, 680, "本办法自发布之日起施行。")
    page.save()

    text = "".join(fragment.text for fragment in passages(FileKind.PDF, out.getvalue()))

    assert text.count("由部门经理审批") == text.count("本办法自发布") == 1


def test_chinese_lines_of_a_pdf_run_on_without_blanks() -> None:
    text = "员工申请设计软件时须先填写申请表并注明软件名称用途与年度费用费用在八百元以内由组长审批。"
    fragments = passages(FileKind.PDF, real_files.pdf(text * 3))

    assert "".join(fragment.text for fragment in fragments).replace("\n", "") == text * 3


@pytest.mark.parametrize("ending", ["docx", "doc", "pdf"])
def test_a_word_document_says_the_same_in_each_format(ending: str) -> None:
    content = real_files.policy() if ending == "docx" else real_files.converted(real_files.policy(), ending)
    fragments = passages(FileKind(ending), content)

    meals = passage(fragments, "Country: France; Lunch: 25; Dinner: 45")
    assert meals.heading.endswith("Meals")
    hotels = passage(fragments, "Germany 120 euros a night")
    assert "The limits are:" in hotels.text
    assert hotels.heading.endswith("Travel policy")
    assert "Receipts are kept" in meals.text
    assert "Receipts" not in meals.text.split("\n")[1]


def test_each_row_of_a_sheet_names_its_columns() -> None:
    rows = [["Price list"], [], ["Product", "Price", "Since"], ["Desk", 249.5, date(2026, 3, 1)]]
    document = parsed(FileKind.XLSX, real_files.workbook(Prices=rows, 库存=[["产品", "数量"], ["键盘", 12]]))

    assert document.pages == 2
    desk = passage(list(document.fragments), "Desk")
    assert "Product: Desk; Price: 249.5; Since: 2026-03-01" in desk.text
    assert (desk.heading, desk.page) == ("Prices", 1)
    assert passage(list(document.fragments), "产品: 键盘; 数量: 12").heading == "库存"


def test_slides_are_pages_with_their_titles_tables_and_notes() -> None:
    fragments = passages(FileKind.PPTX, real_files.presentation())

    notes = passage(fragments, "new office in Porto")
    assert (notes.heading, notes.page) == ("Results of the year", 1)
    team = passage(fragments, "Name: Kim; Task: Budget")
    assert (team.heading, team.page) == ("Team", 2)


def test_a_web_page_is_what_its_reader_sees() -> None:
    page = (
        "<!doctype html><html><head><title>Shop</title><style>p{}</style><script>steal()</script></head><body>"
        "<nav>Home</nav><h1>Questions</h1><h2>Returns</h2><p>Goods can be <b>returned</b> within 30&nbsp;days.</p>"
        "<p>You need:<ul><li>the receipt<li>the box</ul><table><tr><th>Plan<th>Price<tr><td>Pro<td>9</table>"
        '<p hidden>secret</p><img src="http://169.254.169.254/x"></body></html>'
    )
    [fragment] = passages(FileKind.HTML, page.encode())

    assert fragment.heading == "Questions > Returns"
    assert "Goods can be returned within 30 days." in fragment.text
    assert "Plan: Pro; Price: 9" in fragment.text
    assert not any(word in fragment.text for word in ("steal", "secret", "Home", "p{}", "169"))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
def test_a_table_in_any_encoding_and_with_any_delimiter(encoding: str) -> None:
    people = [("王伟", "采购部", "1001"), ("李娜", "法务部", "1002"), ("张敏", "人力资源部", "1003")]
    text = "\r\n".join(";".join(row) for row in [("姓名", "部门", "电话"), *people])
    [fragment] = passages(FileKind.CSV, text.encode(encoding))

    assert "姓名: 李娜; 部门: 法务部; 电话: 1002" in fragment.text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        (
            "latin-1",
            "Die Prüfung der Verträge dauert fünf Tage, danach hört man von der Geschäftsführung. " * 4,
        ),
        (
            "shift_jis",
            "設計ソフトウェアの購入には部長の承認が必要です。申請書は総務部に提出してください。" * 4,
        ),
    ],
)
def test_old_encodings_of_texts_are_recognised(encoding: str, text: str) -> None:
    fragments = passages(FileKind.TXT, text.encode(encoding))

    assert "".join("".join(fragment.text for fragment in fragments).split()) == "".join(text.split())


def test_a_table_of_markdown_is_read_by_rows() -> None:
    [fragment] = passages(
        FileKind.MD, b"# Keys\n\n| Key | Use |\n|---|:--|\n| F1 | **help** |\n| F2 | save |\n"
    )

    assert fragment.text == "Key: F1; Use: help\nKey: F2; Use: save"


def test_a_question_stays_with_its_answer_and_apart_from_the_next() -> None:
    text = "\n\n".join(
        f"What about the matter number {number}?\n\nThe matter is settled in {number} days."
        for number in range(9)
    )
    fragments = passages(FileKind.TXT, text.encode())

    assert len(fragments) == 9
    assert "number 4?" in passage(fragments, "settled in 4 days").text


def test_a_list_that_is_cut_carries_what_leads_into_it() -> None:
    items = "\n".join(
        f"- in the case number {number}, which is rare, the manager decides" for number in range(60)
    )
    fragments = passages(
        FileKind.MD, f"# Rules\n\nThese are the cases in which no offer is needed:\n{items}\n".encode()
    )

    assert len(fragments) > 2
    assert all("no offer is needed" in fragment.context for fragment in fragments[1:])
    assert all(fragment.heading == "Rules" for fragment in fragments)


def test_a_long_text_is_cut_where_its_topic_changes() -> None:
    coffee = " ".join(f"The coffee machine number {n} brews coffee from beans and water." for n in range(10))
    leave = " ".join(
        f"Paid leave of employees in office {n} lasts several weeks of holidays." for n in range(10)
    )
    fragments = list(split_into_fragments([Block(f"{coffee} {leave}")], Purpose.KNOWLEDGE))

    assert not [fragment for fragment in fragments if "coffee" in fragment.text and "leave" in fragment.text]


def test_passages_overlap_in_their_context_and_never_in_their_text() -> None:
    text = " ".join(f"Sentence number {number} says something about this matter." for number in range(200))
    fragments = list(
        split_into_fragments(
            [Block("Head", 1), Block(text), Block("Next", 1), Block("More.")], Purpose.KNOWLEDGE
        )
    )

    assert " ".join(fragment.text for fragment in fragments[:-1]) == text
    assert all(
        fragment.context and before.text.endswith(fragment.context)
        for before, fragment in zip(fragments, fragments[1:-1], strict=False)
    )
    assert fragments[-1] == Fragment("More.", "Next")
    assert all(compute_text_width(fragment.text) <= SIZES[Purpose.KNOWLEDGE].most for fragment in fragments)
