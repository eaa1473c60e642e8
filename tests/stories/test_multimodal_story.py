"""A user shows the assistant a document and a picture, and asks about them weeks later."""

from __future__ import annotations

import base64

from tests.support.api_client import Api, message
from tests.support.documents import small_files
from tests.support.servers.file_server import FileServer

HANDBOOK = [
    [
        (20, "Software purchases"),
        (11, "Design software may cost up to 1000 yuan a year."),
        (11, "Office software may cost up to 800 yuan a year."),
    ],
    [
        (20, "Business trips"),
        (11, "A train ticket in second class needs no approval."),
        (11, "Flights are booked by the travel desk, two weeks before the trip."),
    ],
]


def test_what_was_in_a_document_and_an_image_is_found_later(api: Api, files: FileServer) -> None:
    url = files.serves("Employee%20handbook.pdf", small_files.pdf(HANDBOOK), "application/pdf")
    photo = base64.b64encode(small_files.jpeg(4032, 3024, "2025:05:17 10:00:00")).decode()
    parts = [
        {"type": "text", "text": "This is our employee handbook, and a photo of my sailing boat Albatross."},
        {"type": "file", "file": {"file_data": url}},
        {"type": "image_url", "image_url": {"url": f"data:image/jpeg;base64,{photo}"}},
    ]
    task = api.data(
        "add/message", {"user_id": "kim", "conversation_id": "1", "messages": [message("user", parts)]}
    )
    assert task["status"] == "running"
    assert api.wait_until_done(task["task_id"]) == "completed"

    def found(question: str) -> str:
        return "\n".join(api.facts("kim", question, conversation_id="2"))

    assert "800 yuan" in found("How much may office software cost?")
    assert "travel desk" in found("Who books the flights for a business trip?")
    assert "4032 × 3024" in found("Which image of the sailing boat Albatross did I share?")
    assert "Employee handbook.pdf" in found("Which document did the user share?")
    assert "800 yuan" in found("办公软件的费用上限是多少？")


def test_a_chinese_document_answers_in_chinese(api: Api) -> None:
    policy = "# 差旅制度\n\n## 住宿\n\n一线城市的住宿标准是每晚五百元。\n\n## 餐补\n\n每天的餐补是一百元。\n"
    content = base64.b64encode(policy.encode("gb18030")).decode()
    parts = [{"type": "file", "file": {"file_data": content, "filename": "差旅制度.md"}}]

    task = api.data("add/message", {"user_id": "li", "messages": [message("user", parts)]})
    assert api.wait_until_done(task["task_id"]) == "completed"

    assert any("五百元" in text for text in api.facts("li", "出差住宿每晚可以报销多少钱？"))
