"""A header that cannot be read is refused like anything else that a client got wrong, on every address."""

from __future__ import annotations

import httpx
import pytest

from tests.support.api_client import Api
from tests.support.expect import refused

UNREADABLE = [
    "application/json; a*=bogus''B",
    "application/json; a*=undefined''B",
    "application/json; a*" + "9" * 5_000 + "=x",
    "multipart/form-data; boundary*=bogus''B",
]


@pytest.mark.parametrize("header", UNREADABLE, ids=["unknown", "undefined", "digits", "boundary"])
@pytest.mark.parametrize("path", ["search/memory", "add/message", "nowhere"])
def test_a_content_type_that_cannot_be_read_is_refused_without_a_key_too(
    api: Api, header: str, path: str
) -> None:
    for token in (api.headers["Authorization"], ""):
        headers = {"Content-Type": header, "Authorization": token}
        refused(api.post(path, content=b"{}", headers=headers), 40000, "Content-Type")


def test_a_content_type_that_is_unreadable_once_it_is_joined_is_refused(api: Api) -> None:
    headers = [("Content-Type", 'application/json; a*="bo'), ("Content-Type", "gus''B\"")]
    headers.append(("Authorization", api.headers["Authorization"]))

    refused(api.post("search/memory", content=b"{}", headers=httpx.Headers(headers)), 40000, "Content-Type")


def test_a_content_type_with_readable_extras_is_read(api: Api) -> None:
    headers = {"Content-Type": "application/json; charset=utf-8; title*=utf-8'en'tea%20time"}

    answer = api.post("search/memory", content=b'{"user_id": "kim", "query": "tea"}', headers=headers)

    assert answer.json()["code"] == 0
