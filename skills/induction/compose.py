"""Writes a skill from all that was found in the episodes it rests on: the rules' way, the same each time.

What a later episode says of the same slot replaces what an earlier one said; what is said twice is written once.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memories.text.tokenize import extract_keywords
from skills.induction.aspects import BY_KEY
from skills.induction.domains import domain_of
from skills.induction.frames import Frame
from skills.induction.sections import Sections
from skills.induction.values import Finding, Known, Method, Part
from skills.induction.wishes import Aspect

BY = "local-1"
MOST_LIKINGS, MOST_WISHES, MOST_STEPS, MOST_LESSONS, MOST_TRAITS, MOST_EXAMPLES = 14, 10, 12, 8, 4, 2
MOST_CHOICES, FEW_LIKINGS = 4, 3
LONGEST_TRAIT = 60
# Questions to the user come first, then the way itself.
EARLY = 20
_SAME = 0.8
_TITLE_EN, _TITLE_ZH = 60, 24


def compose(episodes: Sequence[Known], taken: Iterable[str] = ()) -> Method:
    """The skill that these episodes make, oldest first. `taken` are the names of the user's other skills."""
    language = language_of_all(episodes)
    domain = domain_of(episodes[-1].reading.domain)
    frame = domain.frame(language)
    findings = [one for episode in episodes for one in episode.reading.findings]
    likings = _latest([one for one in findings if one.part == Part.LIKING])[-MOST_LIKINGS:]
    wishes = _latest([one for one in findings if one.part == Part.WISH])[-MOST_WISHES:]
    aspects = _aspects(likings)
    sections = Sections(
        name=_title(episodes, frame, language, taken, is_broad=domain.is_broad),
        description=_description(frame, aspects, likings, wishes, language),
        procedure=_procedure(frame, aspects, _way(episodes), wishes, _tools(findings, language), language),
        experience=_experience(episodes, aspects, language),
        preferences=_preferences(likings, aspects, _chosen(findings), wishes, language),
        examples=_examples(episodes, language),
    )
    return Method(sections.as_value(language), language, BY)


def language_of_all(episodes: Sequence[Known]) -> str:
    weights: Counter[str] = Counter()
    for place, episode in enumerate(episodes):
        weights[episode.reading.language] += int(10 * episode.weight) + place
    return weights.most_common(1)[0][0]


def _latest(findings: Sequence[Finding]) -> list[Finding]:
    """In the order they were said; of one slot, and of the same words, the last."""
    kept: list[Finding] = []
    for one in findings:
        kept = [other for other in kept if not _replaces(one, other)]
        kept.append(one)
    return kept


def _replaces(later: Finding, earlier: Finding) -> bool:
    if later.slot and later.slot == earlier.slot:
        return True
    if later.aspect or earlier.aspect:
        return later.aspect == earlier.aspect
    return same_words(later.text, earlier.text)


def same_words(one: str, other: str) -> bool:
    mine, theirs = set(extract_keywords(one)), set(extract_keywords(other))
    if not mine or not theirs:
        return one == other
    return len(mine & theirs) >= _SAME * len(mine | theirs)


def _aspects(likings: Sequence[Finding]) -> list[Aspect]:
    known = {BY_KEY[one.aspect] for one in likings if one.aspect in BY_KEY}
    return sorted(known, key=lambda aspect: (aspect.rank, aspect.key))


def _way(episodes: Sequence[Known]) -> list[str]:
    """The assistant's own steps, of the episode that shows most of them; one that worked out is preferred."""

    def shown(episode: Known) -> tuple[bool, int, float]:
        parts = Counter(one.part for one in episode.reading.findings)
        return (parts[Part.STEP] > 2 and parts[Part.SUCCESS] > 0, parts[Part.STEP], episode.at)

    best = max(episodes, key=shown)
    steps = list(dict.fromkeys(one.text for one in best.reading.findings if one.part == Part.STEP))
    for episode in episodes:
        more = [one.text for one in episode.reading.findings if one.part == Part.STEP]
        steps += [step for step in more if not any(_overlaps(step, known) for known in steps)]
    return steps[:MOST_STEPS]


def _overlaps(one: str, other: str) -> bool:
    mine, theirs = set(extract_keywords(one)), set(extract_keywords(other))
    return 2 * len(mine & theirs) >= min(len(mine), len(theirs))


def _procedure(
    frame: Frame,
    aspects: Sequence[Aspect],
    way: Sequence[str],
    wishes: Sequence[Finding],
    tools: Sequence[str],
    language: str,
) -> list[str]:
    early = [aspect.words(language).step for aspect in aspects if aspect.rank < EARLY]
    later = [aspect.words(language).step for aspect in aspects if aspect.rank >= EARLY]
    begins = bool(way) and (_ASKS.match(way[0]) or any(_overlaps(frame.first, step) for step in way))
    first = [] if begins else [frame.first]
    last = [] if any(_overlaps(frame.last, step) for step in way) else [frame.last]
    steps = [*first, *early, *way, *tools, *later, *(one.text for one in wishes), *last]
    return list(dict.fromkeys(steps))


_ASKS = re.compile("Ask |请用户|询问")


def _tools(findings: Sequence[Finding], language: str) -> list[str]:
    told = [one.text for one in findings if one.part == Part.TOOLS]
    if not told:
        return []
    return [f"依次使用工具：{told[-1]}" if language == "zh" else f"Use the tools in this order: {told[-1]}"]


def _experience(episodes: Sequence[Known], aspects: Sequence[Aspect], language: str) -> list[str]:
    found = [one for episode in episodes for one in episode.reading.findings]
    own = _latest([one for one in found if one.part in {Part.CORRECTION}])
    rules = _latest([one for one in found if one.part == Part.RULE])
    helped = [text for episode in episodes if (text := _what_helped(episode, language))]
    lessons = [aspect.words(language).lesson for aspect in aspects]
    told = [*(one.text for one in rules), *(one.text for one in own), *helped]
    room = max(2, MOST_LESSONS - len(told))
    return list(dict.fromkeys([*lessons[:room], *told[-MOST_LESSONS:]]))


def _what_helped(episode: Known, language: str) -> str:
    """What was done between the failure and the success."""
    findings = episode.reading.findings
    failed = max((one.at for one in findings if one.part == Part.FAILURE), default=None)
    worked = max((one.at for one in findings if one.part == Part.SUCCESS), default=-1)
    if failed is None or worked < failed:
        return ""
    steps = [one.text for one in findings if one.part == Part.STEP and failed < one.at < worked]
    if not steps:
        return ""
    if language == "zh":
        return f"起初的办法没有奏效，后来有效的是：{'；'.join(steps[:2])}"
    told = "; ".join(step[:1].lower() + step[1:] for step in steps[:2])
    return f"What was tried first did not help; what worked in the end: {told}"


def _chosen(findings: Sequence[Finding]) -> list[str]:
    return [one.text for one in _latest([one for one in findings if one.part == Part.CHOICE])][-MOST_CHOICES:]


def _preferences(
    likings: Sequence[Finding],
    aspects: Sequence[Aspect],
    chosen: Sequence[str],
    wishes: Sequence[Finding],
    language: str,
) -> list[str]:
    named = [aspect.words(language).liking for aspect in aspects]
    own = [one.text for one in likings if one.aspect not in BY_KEY]
    asked = [_asked(one) for one in wishes] if len(named) + len(own) < FEW_LIKINGS else []
    return list(dict.fromkeys([*named, *own, *chosen, *asked]))


def _asked(wish: Finding) -> str:
    """ "Do not use tables" -> "Asked not to use tables"; 每条都带上数据 -> 要求每条都带上数据."""
    if wish.language == "zh":
        return f"要求{wish.text}"
    if re.match(r"(?:no|less|more) ", wish.text, re.IGNORECASE):
        return f"Asked for {_lower(wish.text)}"
    denied = re.sub(r"^(?:do not|don't|never) ", "not to ", wish.text, flags=re.IGNORECASE)
    return f"Asked {denied}" if denied != wish.text else f"Asked to {_lower(wish.text)}"


def _description(
    frame: Frame,
    aspects: Sequence[Aspect],
    likings: Sequence[Finding],
    wishes: Sequence[Finding],
    language: str,
) -> str:
    traits = [aspect.words(language).trait for aspect in aspects]
    traits += [_lower(one.text) for one in likings if _is_trait(one, language)]
    traits = list(dict.fromkeys(traits))[:MOST_TRAITS]
    wanted = [
        _lower(one.text) for one in wishes if len(one.text) <= LONGEST_TRAIT and one.language == language
    ]
    if language == "zh":
        whom = f"为{'、'.join(traits)}的{frame.person}" if traits else "帮助用户"
        asked = f"，要求{'、'.join(wanted[:2])}" if wanted and not traits else ""
        return f"{whom}{frame.work}{asked}。{frame.when}。"
    whom = f" for {frame.person} who {_joined(traits)}" if traits else ""
    asked = f", as the user wants it: {'; '.join(wanted[:2])}" if wanted and not traits else ""
    return f"Helps to {frame.work}{whom}{asked}. Use it when {frame.when}."


def _is_trait(one: Finding, language: str) -> bool:
    """Whether it goes on a sentence: "(who) wants the numbers first", （为）喜欢靠窗座位（的旅行者）."""
    if one.aspect in BY_KEY or one.language != language:
        return False
    if language == "zh":
        return len(one.text) <= LONGEST_TRAIT // 4 and "，" not in one.text
    is_verb = bool(
        re.match(
            r"(?:always |never |usually |only |also |does not |is not )?[A-Za-z]+s\b|(?:does|is|has|cannot)\b",
            one.text,
            re.IGNORECASE,
        )
    )
    return is_verb and len(one.text) <= LONGEST_TRAIT


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _title(
    episodes: Sequence[Known], frame: Frame, language: str, taken: Iterable[str], *, is_broad: bool
) -> str:
    """A broad task is named with its object, as long as all episodes are about the same."""
    request = next((one.reading.request for one in episodes if one.reading.request), "")
    topic = title_from(request, language)
    if not frame.title:
        return topic or ("用户的任务" if language == "zh" else "The user's task")
    if not is_broad and frame.title not in set(taken):
        return frame.title
    return f"{frame.title}{'：' if language == 'zh' else ': '}{_lower(topic)}" if topic else frame.title


_WANTING_EN = re.compile(
    r"^the user(?:'s | (?:is |was )?(?:asks?|asked|wants?|needs?|would like|looking|trying|has)?(?: for)?(?: some)?(?: help)?(?: with)?(?: to)?:? ?“?)",
    re.IGNORECASE,
)
_WANTING_ZH = re.compile("^用户?(?:的|问：“)?(?:想要?|希望|需要|请求|打算)?(?:助手)?(?:帮忙)?")


def title_from(request: str, language: str) -> str:
    """A request as the name of a task."""
    bare = (_WANTING_ZH if language == "zh" else _WANTING_EN).sub("", request).strip(" ?？.。!！”")
    if language == "zh":
        return re.split("[，。；]", bare)[0][:_TITLE_ZH]
    bare = re.sub(
        r"^(?:(?:can|could|would|will) (?:you|the assistant) |please )+", "", bare, flags=re.IGNORECASE
    )
    if len(bare) > _TITLE_EN:
        bare = bare[:_TITLE_EN].rsplit(" ", 1)[0]
    return bare[:1].upper() + bare[1:]


def _examples(episodes: Sequence[Known], language: str) -> list[str]:
    """The latest requests with what was answered to them, as far as an answer is worth showing."""
    shown: list[str] = []
    for episode in reversed(episodes):
        answers = [one for one in episode.reading.findings if one.part == Part.EXAMPLE]
        if episode.reading.request and (answers or not shown):
            shown.append(_example(episode, answers[-1].text if answers else "", language, len(shown) + 1))
        if len(shown) == MOST_EXAMPLES:
            break
    return shown


def _example(episode: Known, answer: str, language: str, number: int) -> str:
    request = episode.reading.request
    if language == "zh":
        heading, asked = f"### 示例 {number}", f"请求：{request}"
        return "\n\n".join(filter(None, (heading, asked, f"给出的结果：\n\n{answer}" if answer else "")))
    heading, asked = f"### Example {number}", f"Request: {request}"
    return "\n\n".join(filter(None, (heading, asked, f"What was given:\n\n{answer}" if answer else "")))
