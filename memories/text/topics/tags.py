"""Tags and titles: what a memory is about, in a word and in a line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memories.text.en.abbreviations import ends_in_abbreviation
from memories.text.en.verbs import BASE, PAST
from memories.text.topics.medicines import names_medicine
from memories.text.topics.topics import find_topics, get_topic_name, put_health_first
from memories.text.words import tokenize

_PROPER = re.compile(
    r"(?<![.!?:] )(?<!^)\b(?:\d+ (?=[A-Z]))?[A-Z][\w-]*(?:['’]\w+)?(?: (?:[A-Z][\w-]*(?:['’]\w+)?|\d+))*"
)
_WORD = re.compile(r"[^\W_][\w-]*(?:['’]\w+)?")
_BRACKETS = re.compile(r"\s?[(（][^()（）]*[)）]|^\[[^\]]*\]\s*")
_SUBJECT = re.compile(r"\b(?:the )?(?:user|assistant)(?:'s)?(?: and others)?\b", re.IGNORECASE)
_NO_TAG = frozenset(
    """
        user assistant january february march april may june july august september october november
        december monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur
        thurs fri sat sun i the a mr mrs dr
    """.split()
)
_DULL = frozenset(
    """
        their there has had went got does did is am are will would during next last year's this
        cannot something anything everything likes like loves love prefers prefer hates enjoys wants
        want favorite favourite dislikes avoids years because really always never after before would
        could should thinks feels people things around about today tomorrow yesterday every other
        first think might recommends suggests second allergic never still since while where which
    """.split()
)
# Closed classes of words, which name nothing; Will and the like are names too.
_FUNCTION_WORDS = (
    tokenize.STOP_WORDS
    | frozenset(
        """
            not no nor yes never ever always often sometimes still yet even more most less least
            much many few fewer several each every either neither both all none another other others
            anybody anyone anything everybody everyone everything nobody nothing somebody someone
            something though although because since while whereas until till unless once whether
            whatever whichever whoever whenever wherever however therefore thus hence otherwise
            instead besides before after during within upon per via despite against between among
            along across toward towards through now maybe perhaps please thanks
        """.split()
    )
) - {"will"}
_BEGIN_NAMES = frozenset("the a an my our your his her their no all some this that".split())
# What a number is given of is worth a word of its own: "a rent of 900 euros".
_MEASURED = re.compile(
    r"""
    \b(temperature|humidity|price|budget|weight|height|distance|speed|rent|salary)s?\b(?=[^,.;]{0,20}\d)
    | (气温|温度|湿度|价格|预算|体重|身高|距离|风力|房租|工资)(?=[^，。；]{0,8}\d)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_LEADING_SUBJECT = re.compile(r"^The (?:user|assistant)(?:'s)?(?: and others)? ")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
# The passport runs out, the bakery is run by somebody: no sport.
_NO_RUNNING = re.compile(
    r"""
    \b(?:run|runs|ran|running)\ (?=
        (?:out|late|low|short|into|over|away|errands|up|by|off|an?|the|my|their|his|her)\b
    )
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TITLE_CHARACTERS = 60
_MOST_TAGS = 4
_SAMPLE = 1_500


def choose_tags(text: str, language: str, candidates: Sequence[str]) -> tuple[str, ...]:
    """A few tags of our own and those of the caller's that fit."""
    sample = _SUBJECT.sub("", remove_dates(text[:_SAMPLE])).strip()
    terms = tokenize.search_terms(_NO_RUNNING.sub("", sample))
    topics = find_topics(terms)
    if names_medicine(sample, language):
        topics = put_health_first(topics, terms)
    chosen = [tag for tag in candidates if _fits(tag, terms, topics)]
    own = [get_topic_name(topic, language) for topic in topics[:2]]
    own += [(match[1] or match[2]).lower() for match in _MEASURED.finditer(sample)][:1]
    own += _find_chinese_names(sample) if language == "zh" else _find_english_names(sample)
    seen = {tag.lower() for tag in chosen}
    unique = [tag for tag in dict.fromkeys(own) if tag.lower() not in seen]
    return (*chosen, *unique[:_MOST_TAGS])


def is_food_for_medicine(tag: str, text: str, language: str) -> bool:
    """Return whether the tag is of food, and the text of nothing to eat but a medicine."""
    sample = remove_dates(text[:_SAMPLE])
    if not names_medicine(sample, language):
        return False
    food, *_ = find_topics(["food"])
    is_of_food = food in find_topics(tokenize.extract_keywords(tag[:100]))
    terms = tokenize.search_terms(sample)
    return is_of_food and food not in put_health_first(find_topics(terms), terms)


def remove_dates(text: str) -> str:
    """Without what stands in brackets: the dates that were worked out say nothing of the subject."""
    return _BRACKETS.sub("", text)


def build_title(text: str, language: str) -> str:
    """Return what it says, in a line."""
    sample = remove_dates(text[:400])
    if language == "zh":
        head = re.split("[，。！？；,]", sample.removeprefix("用户").lstrip("的：:"))[0]
        return head[:20] or sample[:20]
    return _clip_text(_LEADING_SUBJECT.sub("", sample).strip())


def _clip_text(text: str) -> str:
    """The first sentence that says something, whole words only."""
    sentences: list[str] = []
    for part in _SENTENCE_END.split(text):
        if sentences and ends_in_abbreviation(sentences[-1][-12:]):
            sentences[-1] += f" {part}"
        else:
            sentences.append(part)
    head = next((sentence for sentence in sentences if sentence.count(" ") >= 3), text).rstrip(" .")
    if len(head) > _TITLE_CHARACTERS:
        head = head[:_TITLE_CHARACTERS].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return head[:1].upper() + head[1:]


def _fits(tag: str, terms: list[str], topics: list[int]) -> bool:
    """Said in the text, or about one of its two main topics."""
    wanted = tokenize.extract_keywords(tag[:100])
    if not wanted:
        return False
    term_set = set(terms)
    if sum(term in term_set for term in wanted) * 2 > len(wanted) or (
        len(wanted) == 2 and wanted[0] in term_set
    ):
        return True
    return any(topic in topics[:3] for topic in find_topics(wanted))


def _find_english_names(sample: str) -> list[str]:
    phrases = map(_strip_function_words, _PROPER.findall(sample))
    names = [name for name in phrases if name and not name.startswith(("I'", "I’"))]
    if names:
        return names[:2]
    plain = [
        word
        for word in _WORD.findall(sample)
        if len(word) > 3 and word.isalpha() and _may_be_noun(word.lower())
    ]
    return [max(plain, key=len).lower()] if plain else []


def _strip_function_words(name: str) -> str:
    """The name without what only begins a sentence before it ("When Ana"); "" for function words and dates alone."""
    words = name.split()
    if all(_is_function_word(word) or _is_date(word) for word in words):
        return ""
    while _is_function_word(words[0]) and words[0].lower() not in _BEGIN_NAMES:
        del words[0]
    return " ".join(words)


def _is_function_word(word: str) -> bool:
    """Capitals alone are a name: the US, IT."""
    is_name = word.isupper() and len(word) > 1
    return not is_name and re.split("['’]", word.lower())[0] in _FUNCTION_WORDS


def _is_date(name: str) -> bool:
    return all(word in _NO_TAG or word[:1].isdigit() for word in name.lower().split())


def _may_be_noun(word: str) -> bool:
    return (
        not word.endswith(("ed", "ing", "ly"))
        and word not in _DULL
        and word not in PAST
        and word.removesuffix("s") not in BASE
        and not _is_function_word(word)
        and word not in _NO_TAG
    )


def _find_chinese_names(sample: str) -> list[str]:
    import rjieba

    nouns = [
        word
        for word, kind in rjieba.tag(sample[:300])
        if kind[:1] == "n" and len(word) > 1 and word not in ("用户", "助手")
    ]
    return list(dict.fromkeys(nouns))[:2]


# So much of a text is compared with its title.
_BEGINNING = 2_000


def repeats_text(title: str, text: str) -> bool:
    """Return whether every word of the title is in the text (its beginning, if it is long), so that both need not be
    shown."""
    return set(tokenize.extract_keywords(title)) <= set(tokenize.extract_keywords(text[:_BEGINNING]))
