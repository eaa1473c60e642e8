"""Text to search terms, the same way when a memory is stored and when a question is asked."""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Set
from functools import lru_cache

import snowballstemmer

from memories.text.zh.script import to_simplified

# Scripts without spaces between words: Han with its extensions, and kana.
_UNSPACED = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(
    rf"([{_UNSPACED}]+)|(\d+(?:[.,]\d+)*)(?![^\W_])|((?:(?![{_UNSPACED}])[^\W_])+(?:'[^\W\d_]+)*)"
)
# Half of a pair, as broken JSON escapes give: no encoder takes it.
HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ACCENTS = re.compile("[\u0300-\u036f]")
# Longer "words" are hashes, base64 and the like: nobody searches for them, and stems of them would fill the cache.
_LONGEST_WORD = 64

STOP_WORDS = frozenset(
    """a an the and or but if then than so of to in on at by for from with without into onto about as is are was were
    be been being am do does did doing done has have had having he she it its they them their theirs his her hers him
    i you we us our ours your yours my mine me myself yourself himself herself itself themselves ourselves this that
    these those there here what which who whom whose when where why how will would can could should shall may might
    must also just very too up out over again some any such only own same s t d ll m re ve im ive id ill youre youve
    youll hes shes theyre theyve weve dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt shouldnt
    hasnt havent hadnt lets thats whats heres theres oh yeah hey ok okay um uh""".split()
) - {"may"}
CHINESE_STOP_WORDS = frozenset(
    """
        的 了 是 在 我 你 您 他 她 它 我们 你们 他们 她们 咱们 这 那 这个 那个 这些 那些 和 与 或 及
        也 都 就 还 又 很 吗 呢 吧 啊 呀 嘛 哦 着 过 把 被 给 对 从 向 到 以 而 但 但是 因为 所以
        如果 虽然 什么 怎么 哪 哪里 哪个 谁 一个 一些 有 会 要 能 可以 用户
    """.split()
)

# The stemmer keeps the word it works on in itself, so two threads must not use one.
_local = threading.local()


def search_terms(text: str) -> list[str]:
    """The search terms of a text, in order and with repetitions: stems, numbers, Chinese words and pairs.

    Chinese is simplified, so that who asks in the one writing finds what was said in the other.
    """
    terms: list[str] = []
    for unspaced, number, word in _TOKEN.findall(_fold_text(text)):
        if word:
            stem = _stem_word(word[:_LONGEST_WORD])
            if stem:
                terms.append(stem)
        elif unspaced:
            terms.extend(_split_unspaced(unspaced))
        else:
            terms.append(number[:_LONGEST_WORD].replace(",", ""))
    return terms


def extract_keywords(text: str) -> list[str]:
    """Like `search_terms`, but without the pairs: one term per word."""
    terms: list[str] = []
    for unspaced, number, word in _TOKEN.findall(_fold_text(text)):
        if unspaced:
            terms.extend(w for w in segment_chinese(unspaced) if w not in CHINESE_STOP_WORDS)
        else:
            terms.append(
                _stem_word(word[:_LONGEST_WORD]) if word else number[:_LONGEST_WORD].replace(",", "")
            )
    return [term for term in terms if term]


def extract_beginning_terms(text: str) -> list[str]:
    """Terms that `search_terms` gives of every text with these words in it, the last of which may be unfinished.

    None where a text may hold these words without such a term: stop words alone, and a single Chinese character.
    """
    terms: list[str] = []
    for unspaced, number, word in _TOKEN.findall(_fold_text(text)):
        if len(unspaced) == 1:
            return []
        pairs = (unspaced[at : at + 2] for at in range(len(unspaced) - 1))
        terms.extend(pair for pair in pairs if pair not in CHINESE_STOP_WORDS)
        terms.append(_stem_word(word[:_LONGEST_WORD]) if word else number[:_LONGEST_WORD].replace(",", ""))
    return [term for term in terms if term]


def remove_terms(text: str, dropped: Set[str]) -> str:
    """The text without the words whose terms are among these; the whole text where no keyword would be left."""
    left = " ".join(_TOKEN.sub(lambda token: _remove_dropped_words(token, dropped), text).split())
    return left if extract_keywords(left) else text


def _remove_dropped_words(token: re.Match[str], dropped: Set[str]) -> str:
    words = segment_chinese(token[1]) if token[1] else [token[0]]
    return "".join(word for word in words if dropped.isdisjoint(extract_keywords(word)))


def segment_chinese(text: str) -> list[str]:
    """Chinese text as words."""
    import rjieba  # 30 MiB, which purely English installations need not pay

    return list(rjieba.cut(text))


def _fold_text(text: str) -> str:
    if text.isascii():
        return text.lower()
    composed = unicodedata.normalize("NFKC", HALF_CHARACTER.sub(" ", text)).replace("\u2019", "'").lower()
    composed = to_simplified(composed)
    if not _has_accents(composed):
        return composed
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", composed)))


def _has_accents(text: str) -> bool:
    return any("\u00c0" <= character <= "\u024f" for character in text)


@lru_cache(maxsize=65_536)
def _stem_word(word: str) -> str:
    """Nothing for a stop word."""
    bare = word[:-2] if word.endswith("'s") else word
    bare = bare.replace("'", "")
    if bare in STOP_WORDS:
        return ""
    if not hasattr(_local, "stemmer"):
        _local.stemmer = snowballstemmer.stemmer("english")
    return str(_local.stemmer.stemWord(bare))


def _split_unspaced(run: str) -> list[str]:
    """Words, and the pairs that are no words: pairs find what the dictionary cuts differently next time."""
    terms: list[str] = []
    words: set[str] = set()
    for word in segment_chinese(run):
        words.add(word)
        if word not in CHINESE_STOP_WORDS:
            terms.append(word)
    pairs = (run[at : at + 2] for at in range(len(run) - 1))
    terms.extend(pair for pair in pairs if pair not in words)
    return terms
