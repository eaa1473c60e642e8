"""Write a skill from the findings of its episodes by rules; the result is deterministic.

What a later episode says of the same thing replaces what an earlier one said; what is said twice is written once.
Nothing is said that the turns do not say, and what a stranger could not follow is no skill.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from memories.text.words.tokenize import extract_keywords
from skills.generation.sections import Sections
from skills.reading.findings import Finding, FindingPart, Known, Method
from skills.reading.messages.signs import is_problem
from skills.reading.quality import filter_sound_items, is_followable, is_sound, is_sound_name
from skills.reading.verbs import asks_for_action
from skills.reading.wording import LONGEST_TITLE, LONGEST_TITLE_ZH, lower_first

BY = "local-2"
MOST_LIKINGS, MOST_WISHES, MOST_STEPS, MOST_LESSONS, MOST_EXAMPLES, MOST_DETAILS = 14, 12, 16, 10, 2, 4
MOST_CHOICES, FEW_STEPS = 4, 3
LONGEST_TRAIT, LONGEST_SAID, MOST_NAMED = 90, 230, 3
_SAME = 0.8


def compose_skill(episodes: Sequence[Known], taken: Iterable[str] = ()) -> Method | None:
    """The skill that these episodes make, oldest first. `taken` are the names of the user's other skills."""
    language = detect_common_language(episodes)
    findings = [
        finding
        for episode in episodes
        for finding in episode.reading.findings
        if finding.language == language or finding.part in {FindingPart.TOOLS, FindingPart.EXAMPLE}
    ]
    lessons = _write_lessons(episodes, findings, language)
    procedure = _write_procedure(episodes, findings, language)
    name = _choose_name(episodes, language, set(taken))
    if not is_followable(name, procedure, lessons, language):
        return None
    likings = [
        finding.text
        for finding in _keep_latest([finding for finding in findings if finding.part == FindingPart.LIKING])
    ][-MOST_LIKINGS:]
    standing = [
        finding.text
        for finding in findings
        if finding.part == FindingPart.WISH and _ALWAYS.search(finding.text)
    ]
    sections = Sections(
        name=name,
        description=_write_description(name, findings, language),
        procedure=procedure,
        experience=[lesson for lesson in lessons if lesson not in procedure],
        preferences=filter_sound_items([*likings, *_list_choices(findings), *standing], language),
        examples=_write_examples(episodes, language),
    )
    return Method(sections.as_value(language), language, BY)


_ALWAYS = re.compile(
    r"""
    ^(?:always|never|every|only|do\ not|no)\b | \b(?:each\ time|every\ time|by\ default)\b
    | ^(?:每|所有|不要|别|不用|一律|始终|只)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def detect_common_language(episodes: Sequence[Known]) -> str:
    weights: Counter[str] = Counter()
    for place, episode in enumerate(episodes):
        weights[episode.reading.language] += int(10 * episode.weight) + place
    return weights.most_common(1)[0][0]


def _keep_latest(findings: Sequence[Finding]) -> list[Finding]:
    """Keep the last finding of each slot and wording, in the order in which they were said."""
    kept: list[Finding] = []
    for finding in findings:
        kept = [other for other in kept if not _replaces(finding, other)]
        kept.append(finding)
    return kept


def _replaces(later: Finding, earlier: Finding) -> bool:
    if later.slot and later.slot == earlier.slot:
        return True
    return same_words(later.text, earlier.text) or _is_opposite(later.text, earlier.text)


def same_words(text: str, other: str) -> bool:
    mine, theirs = set(extract_keywords(text)), set(extract_keywords(other))
    if not mine or not theirs:
        return text == other
    return len(mine & theirs) >= _SAME * len(mine | theirs)


_DENIES = re.compile(r"\b(?:not|no|never|without|avoid|cannot|hates?|dislikes?)\b|不|没|别|无", re.IGNORECASE)


# What a statement and its denial do not share.
_ASSERTED = re.compile(
    rf"{_DENIES.pattern}|\b(?:does|do|any ?more|any longer|longer|now)\b|再|了|现在", re.IGNORECASE
)


def _is_opposite(text: str, other: str) -> bool:
    """ "Likes museums", "does not like museums": the same but for the denial."""
    if bool(_DENIES.search(text)) == bool(_DENIES.search(other)):
        return False
    return same_words(_ASSERTED.sub(" ", text), _ASSERTED.sub(" ", other))


# The procedure


def _write_procedure(episodes: Sequence[Known], findings: Sequence[Finding], language: str) -> list[str]:
    """The steps that were given or done, with the user's wishes where they belong."""
    wishes = _keep_latest([finding for finding in findings if finding.part == FindingPart.WISH])[
        -MOST_WISHES:
    ]
    changes = [finding for finding in findings if finding.part == FindingPart.CORRECTION]
    way = _choose_assistant_steps(episodes)
    steps = _remove_repeated_steps(
        [*(_rewrite_changed_step(step, changes, way) for step in way), *_write_tools(findings, language)]
    )
    for wish in wishes:
        if not any(_overlaps(wish.text, step) and len(step) >= len(wish.text) for step in steps):
            steps = [step for step in steps if not _covers(wish.text, step)]
            steps.insert(_find_step_place(wish.text, steps), wish.text)
    steps = filter_sound_items(steps, language)
    if len(steps) < FEW_STEPS:
        likings = _keep_latest([finding for finding in findings if finding.part == FindingPart.LIKING])
        steps += filter_sound_items(
            [_write_rule_from_liking(liking.text, language) for liking in likings], language
        )
    return steps[:MOST_STEPS]


def _write_rule_from_liking(liking: str, language: str) -> str:
    """A liking as a rule of the way: "Mind that the user does not want long commutes"."""
    if language == "zh":
        return f"注意：{liking if liking.startswith('用户') else f'用户{liking}'}"
    about_user = liking if liking.startswith("The user") else f"the user {lower_first(liking)}"
    return f"Mind that {lower_first(about_user)}"


def _choose_assistant_steps(episodes: Sequence[Known]) -> list[str]:
    """The assistant's own steps, of the episode that shows most of them; one that worked out is preferred."""

    def shown(episode: Known) -> tuple[bool, int, float]:
        parts = Counter(finding.part for finding in episode.reading.findings)
        return (
            parts[FindingPart.STEP] > 2 and parts[FindingPart.SUCCESS] > 0,
            parts[FindingPart.STEP],
            episode.at,
        )

    best = max(episodes, key=shown)
    ways = (FindingPart.STEP, FindingPart.ACTION)
    steps = [finding.text for finding in best.reading.findings if finding.part in ways]
    for episode in episodes:
        more = [finding.text for finding in episode.reading.findings if finding.part in ways]
        steps += [step for step in more if not any(_overlaps(step, known) for known in steps)]
    return _remove_repeated_steps(steps)


def _remove_repeated_steps(steps: Sequence[str]) -> list[str]:
    kept: list[str] = []
    for step in steps:
        if not any(same_words(step, known) or _covers(known, step) for known in kept):
            kept.append(step)
    return kept


def _rewrite_changed_step(step: str, changes: Sequence[Finding], way: Sequence[str]) -> str:
    """A step that the user had changed, as it was wanted then: "Ten exercises are too many: cut them to five"."""
    for change in changes:
        problem, _, fix = change.text.partition("：" if change.language == "zh" else ": ")
        if fix and _is_named_in_step(problem, fix, step, [other for other in way if other != step]):
            return change.text
    return step


# Orders that put one thing in the place of another, or take some of it away.
_ALTERS = re.compile(
    r"""
    (?:replace|swap|change|cut|drop|remove|reduce|shorten|use|take|match|switch|move)\b
    | .{0,8}(?:换|改|减|去掉|删|放宽|缩短|不要|调)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _is_named_in_step(problem: str, fix: str, step: str, others: Sequence[str]) -> bool:
    """Return whether what was wrong is named in this step: most of its own words are, or one that no other step has."""
    mine, theirs = set(extract_keywords(problem)), set(extract_keywords(step))
    shared = mine & theirs
    if len(shared) >= 2 and 2 * len(shared) >= len(theirs):
        return True
    own = shared - {word for other in others for word in extract_keywords(other)}
    return bool(own) and bool(_ALTERS.match(fix))


def _overlaps(text: str, other: str) -> bool:
    mine, theirs = set(extract_keywords(text)), set(extract_keywords(other))
    return 3 * len(mine & theirs) >= 2 * min(len(mine), len(theirs))


def _covers(whole: str, part: str) -> bool:
    """Return whether all that a shorter item says stands in the longer one."""
    mine, theirs = set(extract_keywords(whole)), set(extract_keywords(part))
    return bool(theirs) and len(theirs) < len(mine) and len(theirs - mine) * 4 <= len(theirs)


_BEFORE = re.compile(
    r"^before (?P<what>[^,]{3,60}),|\bbefore (?P<what2>[^,.]{3,60})|^(?P<zh>[^，]{2,12})之?前", re.IGNORECASE
)
_FIRST = re.compile(r"\bfirst\b(?! sentence| line| page| paragraph)|^(?:先|首先)", re.IGNORECASE)


def _find_step_place(wish: str, steps: Sequence[str]) -> int:
    """Find where a step is inserted: before the step it names, or first or last if it says so."""
    before = _BEFORE.search(wish)
    if before:
        what = set(extract_keywords(next(filter(None, before.groups()))))
        places = [at for at, step in enumerate(steps) if what & set(extract_keywords(step))]
        if places:
            return places[-1] if len(places) == 1 else places[0]
    return 0 if _FIRST.search(wish) and len(wish) < LONGEST_TRAIT else len(steps)


def _write_tools(findings: Sequence[Finding], language: str) -> list[str]:
    stated = [finding.text for finding in findings if finding.part == FindingPart.TOOLS]
    if not stated:
        return []
    if "," not in stated[-1]:
        return [f"使用工具 {stated[-1]}" if language == "zh" else f"Use the tool {stated[-1]}"]
    return [
        f"依次使用工具：{stated[-1]}" if language == "zh" else f"Use the tools in this order: {stated[-1]}"
    ]


# What was learned


def _write_lessons(episodes: Sequence[Known], findings: Sequence[Finding], language: str) -> list[str]:
    """Write what always holds, what the user had changed and why, and what helped after a failure."""
    rules = [
        finding.text
        for finding in _keep_latest([finding for finding in findings if finding.part == FindingPart.RULE])
    ]
    own = [
        finding.text
        for finding in _keep_latest(
            [finding for finding in findings if finding.part == FindingPart.CORRECTION]
        )
    ]
    helped = [text for episode in episodes if (text := _describe_what_helped(episode, language))]
    return filter_sound_items([*rules, *own, *helped], language)[-MOST_LESSONS:]


def _describe_what_helped(episode: Known, language: str) -> str:
    """Describe what was done between the failure and the success."""
    findings = episode.reading.findings
    failed = [finding for finding in findings if finding.part == FindingPart.FAILURE]
    worked = [finding for finding in findings if finding.part == FindingPart.SUCCESS]
    if not failed or not worked or worked[-1].at < failed[-1].at:
        return ""
    ways = (FindingPart.STEP, FindingPart.ACTION)
    steps = [
        finding.text
        for finding in findings
        if finding.part in ways and failed[-1].at < finding.at < worked[-1].at
    ]
    why = next((finding.text for finding in worked if finding.text and finding.at > failed[-1].at), "")
    quote = failed[-1].text.strip(" .。") or ""
    if not (steps or why):
        return ""
    if language == "zh":
        first = f"起初没有奏效（用户说“{quote}”）" if quote else "起初的办法没有奏效"
        return f"{first}；后来有效的是：{'；'.join(steps[:2])}" + (f"（{why}）" if why else "")
    first = (
        f"The first way did not work (the user said: “{quote}”)" if quote else "The first way did not work"
    )
    stated = "; ".join(lower_first(step) for step in steps[:2])
    return f"{first}. What helped: {stated}" + (f" ({lower_first(why)})" if why and stated else why)


def _list_choices(findings: Sequence[Finding]) -> list[str]:
    return [
        finding.text
        for finding in _keep_latest([finding for finding in findings if finding.part == FindingPart.CHOICE])
    ][-MOST_CHOICES:]


# Name and description


def _choose_name(episodes: Sequence[Known], language: str, taken: set[str]) -> str:
    """The name of the kind of task; of several the one that most episodes share, then the shortest."""
    titles = [
        episode.reading.title
        for episode in episodes
        if is_sound_name(episode.reading.title, episode.reading.language)
        and episode.reading.language == language
    ]
    counts = Counter(titles)
    ranked = sorted(counts, key=lambda title: (-counts[title], len(title)))
    name = next((title for title in ranked if title not in taken), "")
    return name[: LONGEST_TITLE_ZH if language == "zh" else LONGEST_TITLE + 20]


def _write_description(name: str, findings: Sequence[Finding], language: str) -> str:
    """Write what the skill is for, with what matters most of this user's way, and when to use it."""
    wanted = [
        finding.text
        for finding in findings
        if finding.part in {FindingPart.LIKING, FindingPart.WISH} and len(finding.text) <= LONGEST_TRAIT
    ]
    wanted = filter_sound_items([text for text in wanted if not re.search("[:：]", text)], language)[
        :MOST_NAMED
    ]
    while sum(map(len, wanted)) + 3 * len(name) > LONGEST_SAID:
        if not wanted:
            break
        wanted.pop()
    if language == "zh":
        how = f"按这位用户的要求：{'；'.join(wanted)}" if wanted else "按这位用户的做法"
        if name.endswith("了") or is_problem(name):
            return f"{name}时的处理方法，{how}。用户遇到这种或类似的情况时使用。"
        return (
            f"{name}的方法，{how}。用户要{name}或提出类似请求时使用。"
            if not name.startswith("用户")
            else f"{how}。"
        )
    stated = lower_first(name)
    how = f": {'; '.join(lower_first(text) for text in wanted)}" if wanted else ""
    if asks_for_action(name, "en"):
        return (
            f"How to {stated} the way this user wants it{how}. Use it when the user asks to {stated}, or "
            f"for something like it."
        )
    minded = f". Mind: {'; '.join(lower_first(text) for text in wanted)}" if wanted else ""
    return f"What to do about this: {stated}{minded}. Use it when the user has this or a similar problem."


# Examples


def _write_examples(episodes: Sequence[Known], language: str) -> list[str]:
    """The latest requests with what was said of the case and what was answered."""
    shown: list[str] = []
    for episode in reversed(episodes):
        answers = [finding for finding in episode.reading.findings if finding.part == FindingPart.EXAMPLE]
        request = episode.reading.request
        if request and is_sound(request.rstrip(".。"), language) and (answers or not shown):
            shown.append(
                _write_example(episode, answers[-1].text if answers else "", language, len(shown) + 1)
            )
        if len(shown) == MOST_EXAMPLES:
            break
    return shown


def _write_example(episode: Known, answer: str, language: str, number: int) -> str:
    request = episode.reading.request
    details = [finding.text for finding in episode.reading.findings if finding.part == FindingPart.DETAIL][
        :MOST_DETAILS
    ]
    if language == "zh":
        parts = [f"### 示例 {number}", f"请求：{request}"]
        parts += [f"当时的情况：{'；'.join(details)}。"] if details else []
        return "\n\n".join([*parts, *([f"给出的结果：\n\n{answer}"] if answer else [])])
    parts = [f"### Example {number}", f"Request: {request}"]
    parts += [f"What was told of the case: {'; '.join(details)}."] if details else []
    return "\n\n".join([*parts, *([f"What was given:\n\n{answer}"] if answer else [])])
