"""What somebody corrects while talking replaces what was said before, and nothing else."""

from __future__ import annotations

from memories.text.clauses.corrections import apply_corrections, remove_superseded
from memories.values import Draft, MemoryKind


def stated(text: str, *, corrects: tuple[str, ...] = (), turn: int = 0, language: str = "en") -> Draft:
    return Draft(
        kind=MemoryKind.FACT,
        text=text,
        title="",
        turns=(turn,),
        confidence=0.9,
        corrects=corrects,
        language=language,
    )


def held(*drafts: Draft) -> list[str]:
    """What holds at the end of the talk."""
    return [draft.text for draft in remove_superseded(apply_corrections(drafts))]


def test_the_corrected_value_replaces_the_statement() -> None:
    assert held(
        stated("The user's locker code is 7719."),
        stated("The user is parked on level 4."),
        stated("The user's locker code is 7791.", corrects=("7719",), turn=2),
    ) == ["The user is parked on level 4.", "The user's locker code is 7791."]
    assert held(
        stated("送餐的师傅姓曹。", language="zh"),
        stated("送餐的师傅姓巢。", corrects=("曹",), turn=2, language="zh"),
    ) == ["送餐的师傅姓巢。"]


def test_what_a_statement_says_besides_the_wrong_value_stays() -> None:
    texts = held(
        stated("面试定在2026年3月16日下午两点，在望京的总部。", language="zh"),
        stated("面试时间是下午四点。", corrects=("两点",), turn=2, language="zh"),
    )

    assert "面试定在2026年3月16日下午四点，在望京的总部。" in texts
    assert not any("两点" in text for text in texts)


def test_a_wrong_name_is_corrected_wherever_it_was_said() -> None:
    texts = held(
        stated("The user and others fly to Reykjavik at 06:40 from Gatwick."),
        stated("The parking at Gatwick is booked."),
        stated("The flight leaves from Stansted.", corrects=("Gatwick",), turn=2),
    )

    assert not any("Gatwick" in text for text in texts)
    assert "The user and others fly to Reykjavik at 06:40 from Stansted." in texts


def test_a_number_is_corrected_only_where_it_was_meant() -> None:
    texts = held(
        stated("The user's sister Marta has two sons."),
        stated("The user's brother has two sons."),
        stated("The user's sister Marta has three sons.", corrects=("two",), turn=2),
    )

    assert texts == ["The user's brother has two sons.", "The user's sister Marta has three sons."]


def test_a_correction_of_what_nobody_said_replaces_nothing() -> None:
    draft = stated("The user lives in Porto.")

    assert held(draft, stated("The user's name is Kim.", corrects=("Tim",), turn=2)) == [
        "The user lives in Porto.",
        "The user's name is Kim.",
    ]


def test_a_denied_value_is_corrected_and_a_denied_taste_is_none() -> None:
    assert held(stated("The gym code is 7719."), stated("The gym code is 7791, not 7719.", turn=2)) == [
        "The gym code is 7791."
    ]
    assert held(
        stated("储物柜密码是7719。", language="zh"),
        stated("储物柜密码不是7719，是7791。", turn=2, language="zh"),
    ) == ["储物柜密码是7791。"]
    assert held(
        stated("The user drinks coffee at work."), stated("The user drinks tea, not coffee.", turn=2)
    ) == ["The user drinks coffee at work.", "The user drinks tea, not coffee."]


def test_a_quotation_is_kept_whole() -> None:
    quoted = stated("用户在2026年2月10日说：“那件事是周四，不是周二”", language="zh")

    assert held(quoted) == [quoted.text]
