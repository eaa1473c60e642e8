"""What counts as the same word when an end user searches."""

from __future__ import annotations

from memories.text.words.tokenize import extract_keywords, search_terms


def test_words_of_one_stem_meet() -> None:
    assert search_terms("She was travelling") == ["travel"]
    assert search_terms("Travels!") == ["travel"]


def test_words_without_meaning_are_left_out() -> None:
    assert search_terms("What is it that I am the one for?") == ["one"]


def test_contractions_and_possessives_do_not_hide_a_word() -> None:
    assert search_terms("I don't like my sister's apples") == ["like", "sister", "appl"]
    assert search_terms("Xi'an") == ["xian"]


def test_numbers_are_kept() -> None:
    assert search_terms("1,500 yuan for Python 3.11") == ["1500", "yuan", "python", "3.11"]


def test_width_and_accents_make_no_difference() -> None:
    assert search_terms("ＡＰＰＬＥＳ") == search_terms("apples")
    assert search_terms("Café") == search_terms("cafe")


def test_chinese_is_found_by_word_and_by_pair() -> None:
    terms = search_terms("我住在朝阳区")

    assert "朝阳区" in terms
    assert "朝阳" in terms


def test_a_single_chinese_character_can_be_searched() -> None:
    assert "辣" in search_terms("我喜欢吃辣")


def test_mixed_text_gives_terms_of_both_languages() -> None:
    assert {"macbook", "电脑"} <= set(search_terms("我的电脑是MacBook"))


def test_keywords_have_no_pairs() -> None:
    assert extract_keywords("我喜欢苹果") == ["喜欢", "苹果"]


def test_the_same_text_always_gives_the_same_terms() -> None:
    text = "I moved to 上海 in June 2025."

    assert search_terms(text) == search_terms(text)


def test_no_text_is_too_strange() -> None:
    for text in ("", "\x00", "\ud800", "😀", "a" * 100_000, "'" * 1_000, "1," * 1_000, "我" * 10_000):
        search_terms(text)
        extract_keywords(text)


def test_an_endless_word_is_shortened() -> None:
    assert all(len(term) <= 64 for term in search_terms("x" * 5_000))
