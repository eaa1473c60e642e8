"""The policy on software as real PDF files, in English and Chinese."""

from __future__ import annotations

from io import BytesIO

from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table

ENGLISH = (
    "Software Procurement Reimbursement Policy",
    "This policy aims to standardize the procurement and reimbursement process for various software in the company,"
    " requiring all software procurement to follow the procurement amount limits for specific categories.",
    "The procurement limit for design software is 1000 yuan, applicable to graphic design, video editing and prototype"
    " design, with examples including Photoshop and Premiere. The procurement limit for office software is 800 yuan,"
    " applicable to document editing and spreadsheet processing, with examples including Office Suite and WPS. The"
    " procurement limit for data analysis software is 1200 yuan, applicable to statistics and visualization.",
    "All procurement must comply with company budget and information security requirements; software exceeding the"
    " limit requires a business explanation and special approval. The travel allowance is 800 yuan per day.",
)
CHINESE = (
    "软件采购报销制度",
    "本制度旨在规范公司各类软件的采购与报销流程，所有软件采购须遵守各类别的采购金额上限。",
    (
        "设计软件的采购上限为1000元，适用于平面设计、视频剪辑与原型设计，例如Photoshop。办公软件的采购上限"
        "为800元，适用于文档编辑与表格"
        "处理，例如WPS。数据分析软件的采购上限为1200元，适用于统计与可视化。"
    ),
    "所有采购均须符合公司预算与信息安全要求，超出上限的软件须说明业务理由并经特别审批。差旅补贴标准为每天800元。",
)


def policy_pdf(paragraphs: tuple[str, ...] = ENGLISH, rows: tuple[tuple[str, str], ...] = ()) -> bytes:
    """The first paragraph is the heading; the rows are a table under the text."""
    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    styles = getSampleStyleSheet()
    font = {"fontName": "STSong-Light"} if not "".join(paragraphs).isascii() else {}
    wrap = {"wordWrap": "CJK"} if font else {}
    body = ParagraphStyle("body", parent=styles["BodyText"], **font, **wrap)
    head = ParagraphStyle("head", parent=styles["Heading1"], **font, **wrap)
    story: list[Flowable] = [Paragraph(paragraphs[0], head)]
    for text in paragraphs[1:]:
        story += [Paragraph(text, body), Spacer(1, 6)]
    if rows:
        story.append(Table([list(row) for row in rows]))
    out = BytesIO()
    SimpleDocTemplate(out, title=paragraphs[0]).build(story)
    return out.getvalue()
