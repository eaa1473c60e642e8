"""How well the server understands ordinary talk: what it stores of labelled conversations, and what it finds again.

    python -m benchmarks.talks_quality [NAME ...] [--held-out] [--show] [--limit N]

NAME is a file of `benchmarks/talks` without its ending; all of them without a name. Every conversation is sent to
`add/message` as an end user of its own, `get/memory` is read to its last page, and the questions go to `search/memory`
with default limits. Only open cases are sent; with --held-out only the others, of which no rows are shown: anyone who
writes rules is to see their totals and nothing else. `talks/README.md` explains the format.
"""

from __future__ import annotations

import argparse
import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone
from functools import cache
from pathlib import Path
from typing import Any

import httpx

from benchmarks.support.installation import installation
from benchmarks.support.report import Promise, Report, Table, machine

FOLDER = Path(__file__).with_name("talks")
FIRST_HITS = 3
THRESHOLD = 0.45
MONTHS = ("January February March April May June July August September October November December").split()

# Percent, or per 100 stored memories: at least or at most. The first is the floor, the second the goal.
BARS = {
    "facts found": (92, 95),
    "clean": (80, 88),
    "dates right": (88, 94),
    "false": (3, 1),
    "malformed": (4, 2),
    "questions": (80, 88),
    "silent": (90, 93),
}
AT_MOST = {"false", "malformed"}
# Without a bar: preferences found in the preference list; every event of a counting question among the hits.
COLUMNS = [*BARS, "preferences", "counted", "stored"]

# After a colon: The user said on 10 February 2026: "…"; a name in quotation marks is no quotation.
QUOTATION = re.compile(r"(?<=[:：])\s*(?:“[^”]*”|「[^」]*」|\"[^\"]*\")")
# The question that a quoted answer belongs to: asked "How long?": "Nine years."
ASKED_FIRST = re.compile(r"(?:, asked |被问到) ?(?:“[^”]*”|\"[^\"]*\")(?=[:：时])")
ASSISTANT_VIEW = re.compile(r"\s*\[assistant view\]", re.IGNORECASE)
# By language: how long a memory may be, what shows that it cannot stand alone, and words for what is over.
FORMS: dict[str, Any] = tomllib.loads((FOLDER / "forms.toml").read_text(encoding="utf-8"))


@cache
def pattern(source: str) -> re.Pattern[str]:
    return re.compile(source, re.IGNORECASE | re.DOTALL)


def matches(source: str | None, text: str) -> bool:
    return bool(source) and pattern(str(source)).search(text) is not None


def length(text: str) -> int:
    """Words; each Chinese character counts as one."""
    return len(re.findall(r"[\u4e00-\u9fff]|[A-Za-zÀ-ÿ0-9](?:[A-Za-zÀ-ÿ0-9'’-]|\.(?=\d))*", text))


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory or preference, or a hit of a search."""

    text: str
    is_preference: bool
    time: int | None = None
    """When it happened, in epoch milliseconds."""
    relativity: float = 0.0

    @property
    def unquoted(self) -> str:
        return QUOTATION.sub("…", self.text)

    @property
    def is_assistant_view(self) -> bool:
        return ASSISTANT_VIEW.match(self.text) is not None


def build_date_pattern(year: int, month: int, day: int) -> str:
    """A pattern of how a text may write that year, month (if not 0) and day (if not 0)."""
    if not month:
        return rf"(?<!\d){year}(?!\d)"
    name = rf"{MONTHS[month - 1]}|{MONTHS[month - 1][:3]}"
    if not day:
        return rf"{year}-0?{month}(?!\d)|{year}\s*年\s*0?{month}\s*月|(?:{name})\.?\s+(?:\d+,?\s+)?{year}"
    numeric = rf"{year}-0?{month}-0?{day}(?!\d)|{year}\s*年\s*0?{month}\s*月\s*0?{day}(?!\d)"
    return rf"{numeric}|(?<!\d){day}\s+(?:{name})\.?,?\s+{year}|(?:{name})\.?\s+{day},?\s+{year}"


def is_on(memory: Memory, wanted: str) -> bool:
    """Its time falls on the day, month or year, in UTC or in China, or its text writes that date."""
    for date in wanted.split("/"):
        year, month, day = [*map(int, date.split("-")), 0, 0][:3]
        if matches(build_date_pattern(year, month, day), memory.text):
            return True
        for zone in (UTC, timezone(timedelta(hours=8))):
            if memory.time is not None:
                then = datetime.fromtimestamp(memory.time / 1000, zone)
                if (then.year, month and then.month, day and then.day) == (year, month, day):
                    return True
    return False


@dataclass(frozen=True, slots=True)
class Talk:
    """A labelled conversation."""

    label: dict[str, Any]

    @property
    def language(self) -> str:
        return str(self.label["language"])

    def sessions(self) -> list[list[dict[str, str]]]:
        if "turns" in self.label:
            return [self.label["turns"]]
        return [session["turns"] for session in self.label["sessions"]]

    def is_false(self, ban: dict[str, Any], memory: Memory) -> bool:
        """A corrected or outdated value is false in a quotation too, unless the memory says that it is over."""
        text = memory.text if ban.get("stale") else memory.unquoted
        excused = matches(ban.get("unless"), text) or (
            ban.get("stale") and matches(FORMS[self.language]["over"], text)
        )
        return matches(ban["says"], text) and not excused

    def false_in(self, memory: Memory) -> list[str]:
        return [ban["like"] for ban in self.label["wrong"] if self.is_false(ban, memory)]

    def list_faults(self, memory: Memory) -> list[str]:
        text = memory.unquoted
        faults = [name for name, form in FORMS[self.language]["faults"].items() if re.search(form, text)]
        if length(memory.text) < FORMS[self.language]["shortest"]:
            faults.append("too short")
        if re.search(r"[?？]", ASKED_FIRST.sub("", text)):
            faults.append("a question")
        if any(text.count(left) != text.count(right) for left, right in ("()", "（）", "“”", "「」")):
            faults.append("unbalanced")
        for fragment in self.label.get("malformed", []):
            if matches(fragment["says"], text) and not matches(fragment.get("unless"), memory.text):
                faults.append("fragment")
        return faults


@dataclass(slots=True)
class Counts:
    """Of one language or category: (reached, possible) of each column, and rows for people."""

    reached: dict[str, float] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0.0))
    possible: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COLUMNS, 0))
    rows: list[str] = field(default_factory=list)

    def count(self, column: str, value: float, failed: str = "") -> None:
        self.reached[column] += value
        self.possible[column] += 1
        if failed:
            self.rows.append(failed)

    def add(self, other: Counts) -> None:
        for column in COLUMNS:
            self.reached[column] += other.reached[column]
            self.possible[column] += other.possible[column]

    def share(self, column: str) -> float | None:
        """Percent, or per 100 stored memories; `stored` is a number."""
        if column == "stored":
            return self.reached[column]
        return 100 * self.reached[column] / self.possible[column] if self.possible[column] else None

    def cells(self) -> list[str | float | int]:
        shares = [self.share(column) for column in COLUMNS]
        return ["–" if share is None else round(share, 1) for share in shares]


def judge_stored(talk: Talk, stored: list[Memory], counts: Counts) -> None:
    """Counts the facts that are found, and what else is stored that is false or cannot stand alone."""
    longest = FORMS[talk.language]["longest"]
    for fact in talk.label["facts"]:
        saying = [memory for memory in stored if all(matches(says, memory.text) for says in fact["says"])]
        short = [
            memory
            for memory in saying
            if all(matches(says, _without_long(memory, longest)) for says in fact["says"])
        ]
        clean = [memory for memory in short if all(matches(says, memory.unquoted) for says in fact["says"])]
        clean = [memory for memory in clean if length(memory.text) <= longest]
        clean = [memory for memory in clean if not talk.list_faults(memory) and not talk.false_in(memory)]
        missing = f"  MISSING {fact['gold']}" if not saying else ""
        counts.count("facts found", 1 if short else 0.5 if saying else 0, missing)
        counts.count("clean", bool(clean), f"  NOT CLEAN {fact['gold']}" if saying and not clean else "")
        if "memory_date" in fact:
            is_right = any(is_on(memory, fact["memory_date"]) for memory in saying)
            counts.count("dates right", is_right, f"  DATE {fact['gold']}" if saying and not is_right else "")
        if fact["kind"] == "preference" and saying:
            counts.count("preferences", any(memory.is_preference for memory in saying))
    for memory in stored:
        false, faults = talk.false_in(memory), talk.list_faults(memory)
        counts.count("false", bool(false), f"  FALSE ({false[0]}) {memory.text}" if false else "")
        counts.count(
            "malformed", bool(faults), f"  FORM {', '.join(faults)}: {memory.text}" if faults else ""
        )
        counts.count("stored", 1)


def _without_long(memory: Memory, longest: int) -> str:
    """The text without quotations that are too long to count as saying one thing."""
    return QUOTATION.sub(lambda hit: "…" if length(hit[0]) > longest else hit[0], memory.text)


def judge_answer(talk: Talk, question: dict[str, Any], hits: list[Memory], counts: Counts) -> None:
    hits = sorted(hits, key=lambda hit: -hit.relativity)
    sure = [hit for hit in hits if hit.relativity > THRESHOLD]
    first = "; ".join(f"{hit.relativity:.2f} {hit.text[:80]}" for hit in hits[:FIRST_HITS]) or "nothing"
    shown = f"  ASKED {question['ask']} -> {first}"
    if question.get("nothing"):
        counts.count("silent", not sure, shown if sure else "")
        return
    never = [ban for ban in question.get("never", []) for hit in sure if _comes_with(talk, ban, hit)]
    able = [hit for hit in hits[:FIRST_HITS] if not hit.is_assistant_view or question.get("assistant")]
    lies = [ban for ban in talk.label["wrong"] if not ban.get("stale")]  # they answer nothing
    able = [hit for hit in able if not any(talk.is_false(ban, hit) for ban in lies)]
    is_found = any(matches(says, hit.text) for hit in able for says in question["first"])
    counts.count("questions", is_found and not never, "" if is_found and not never else shown)
    if "all" in question:
        is_whole = all(any(matches(says, hit.text) for hit in hits) for says in question["all"])
        counts.count("counted", is_whole, "" if is_whole else f"  NOT ALL{shown[7:]}")


def _comes_with(talk: Talk, ban: dict[str, Any], hit: Memory) -> bool:
    excused = matches(ban.get("unless"), hit.text) or matches(FORMS[talk.language]["over"], hit.text)
    return not hit.is_assistant_view and matches(ban["says"], hit.unquoted) and not excused


@dataclass(frozen=True, slots=True)
class Api:
    """The public API, as an application uses it."""

    client: httpx.Client

    def post(self, path: str, **body: Any) -> dict[str, Any]:
        answer: dict[str, Any] = self.client.post(path, json=body).raise_for_status().json()["data"]
        return answer

    def tell(self, user: str, talk: Talk) -> None:
        """Waits for each session, as the next one may correct it."""
        for number, turns in enumerate(talk.sessions(), 1):
            place = {"user_id": user, "conversation_id": f"{user}-{number}"}
            answer = self.post("add/message", **place, messages=turns, async_mode=False)
            if answer.get("status") != "completed":
                raise RuntimeError(f"{place['conversation_id']}: {answer}")

    def stored(self, user: str) -> list[Memory]:
        """Of all pages, without what the assistant said and what has been replaced."""
        page, pages, memories = 1, 1, []
        while page <= pages:
            body = {"user_id": user, "page": page, "size": 50, "include_preference": True}
            answer = self.post("get/memory", **body)
            pages, page = int(answer.get("pages") or 1), page + 1
            memories += list(_memories(answer))
        return [memory for memory in memories if not memory.is_assistant_view]

    def search(self, user: str, query: str) -> list[Memory]:
        return list(_memories(self.post("search/memory", user_id=user, query=query)))


def _memories(answer: dict[str, Any]) -> Iterator[Memory]:
    for name, text in (("memory_detail_list", "memory_value"), ("preference_detail_list", "preference")):
        for row in answer.get(name) or []:
            if row.get("status") in {"activated", None}:
                time, relativity = row.get("memory_time"), float(row.get("relativity") or 0)
                yield Memory(
                    str(row[text]).strip(), text == "preference", int(time) if time else None, relativity
                )


def load(names: list[str], is_held_out: bool, limit: int) -> list[Talk]:
    all_talks = []
    for path in sorted(FOLDER.glob("*.json")):
        if not names or path.stem in names:
            talks = [Talk(label) for label in json.loads(path.read_text(encoding="utf-8"))]
            all_talks += [talk for talk in talks if bool(talk.label.get("held_out")) == is_held_out][:limit]
    return all_talks


def run_measurement(talks: list[Talk], is_held_out: bool, is_shown: bool) -> Report:
    languages: dict[str, Counts] = {}
    categories: dict[str, Counts] = {}
    with installation() as (_, developer):
        api = Api(httpx.Client(base_url=f"{developer.api_base}/", headers=developer.headers, timeout=180))
        for number, talk in enumerate(talks):
            user, counts = f"talk-{number}", Counts()
            api.tell(user, talk)
            judge_stored(talk, api.stored(user), counts)
            for question in talk.label["questions"]:
                judge_answer(talk, question, api.search(user, question["ask"]), counts)
            languages.setdefault(talk.language, Counts()).add(counts)
            categories.setdefault(f"{talk.language} {talk.label['categories'][0]}", Counts()).add(counts)
            if is_shown and counts.rows:
                print("\n".join([talk.label["id"], *counts.rows]), flush=True)
    half = "held out" if is_held_out else "open"
    report = Report("talks_quality", circumstances=machine() | {"conversations": len(talks), "half": half})
    title = f"{half}: percent; false and malformed per 100 stored memories"
    report.tables = [_table("by category", categories), _table(title, languages)]
    for at, name in enumerate(("floor", "goal")):
        report.tables[1].rows.append([name, *(BARS[column][at] for column in BARS), "", "", ""])
    for language, counts in sorted(languages.items()):
        report.promises += _promises(language, counts)
    return report


def _table(title: str, counts: dict[str, Counts]) -> Table:
    return Table(title, ["", *COLUMNS], [[name, *tally.cells()] for name, tally in sorted(counts.items())])


def _promises(language: str, counts: Counts) -> list[Promise]:
    """The floors; of what should be high, the part that is missing."""
    promises = []
    for column, (floor, _) in BARS.items():
        share = counts.share(column)
        if share is not None and column in AT_MOST:
            promises.append(Promise(f"{language}: {column} per 100 stored", share, floor))
        elif share is not None:
            promises.append(Promise(f"{language}: not {column}, percent", 100 - share, 100 - floor))
    return promises


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    files = sorted(path.stem for path in FOLDER.glob("*.json"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(files))
    parser.add_argument("--held-out", action="store_true", help="only the cases that are kept for measuring")
    parser.add_argument("--show", action="store_true", help="what failed, conversation by conversation")
    parser.add_argument("--limit", type=int, default=1000, help="at most so many conversations of each file")
    asked = parser.parse_args()
    if unknown := set(asked.names) - set(files):
        parser.error(f"there is no file {', '.join(sorted(unknown))}")
    if asked.show and asked.held_out:
        parser.error("rows of held-out cases are not shown")
    run_measurement(load(asked.names, asked.held_out, asked.limit), asked.held_out, asked.show).publish()


if __name__ == "__main__":
    main()
