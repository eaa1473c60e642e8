"""The title of a memory: what it says, in a line."""

from __future__ import annotations

import pytest

from memories.text.topics.tags import build_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("用户的妈妈吃氨氯地平。", "妈妈吃氨氯地平"),
        ("用户住在北京。", "住在北京"),
        ("氨氯地平是用户的爸爸吃的。", "氨氯地平是用户的爸爸吃的"),
        ("张医生让用户换成瑞舒伐他汀10毫克。", "张医生让用户换成瑞舒伐他汀10毫克"),
        ("快递寄到用户公司前台，不要寄家里。", "快递寄到用户公司前台"),
        ("The user lives in Lisbon.", "Lives in Lisbon"),
        ("Dr Ana moved the user's check-up to May.", "Dr Ana moved the user's check-up to May"),
    ],
)
def test_only_the_user_at_the_beginning_is_left_out(text: str, title: str) -> None:
    assert build_title(text, "zh" if ord(text[0]) > 255 else "en") == title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("The user's dentist is now Dr. Weiss.", "Dentist is now Dr. Weiss"),
        ("The user moved to St. Ives last May. It rains there.", "Moved to St. Ives last May"),
        ("The user is to meet Prof. J. Okafor at 9. Bring the slides.", "Is to meet Prof. J. Okafor at 9"),
        ("The user works at Acme Inc. in Boston.", "Works at Acme Inc. in Boston"),
    ],
)
def test_a_sentence_does_not_end_at_an_abbreviation(text: str, title: str) -> None:
    assert build_title(text, "en") == title
