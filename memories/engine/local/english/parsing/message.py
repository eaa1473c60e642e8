"""What of a message is prose: without code, logs and tables, list items with the heading they stand under."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memories.engine.local.english.parsing.rewriting.left_out_marks import with_full_stops
from memories.text.claims.restating import restate_changes
from memories.text.clauses.sentences import CODE_BLOCK, TIME_PREFIX, split_sentences
from memories.text.clauses.statements import is_request
from memories.text.words.spacing import join_lines, tidy_spacing

_BULLET = re.compile(r"^[ \t]{0,20}(?:[-*•·▪◦–]|\d{1,2}[.)]|\[[ xX]?\])[ \t]+")
_LOG = re.compile(
    r"""^\s*(?:
        \[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE|FATAL|CRITICAL)\b[\]:]?
        | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d
        | \d\d:\d\d:\d\d\b
        | Traceback\ \(most | File\ "[^"]+",\ line\ \d | at\ [\w.$<>]+\( | \w*(?:Error|Exception)\b:
        | (?:>>>|\$|\#!)\ ?\S | (?:npm|pip|git|docker|kubectl|sudo)\ [a-z-]+
        | (?:def|class|import|from|return|const|let|var|func|fn|public|private|SELECT|INSERT|UPDATE|DELETE
            |CREATE)\ [^.!?]*[(){};=*]
        | <\/?\w+[^>]*> | [{}\[\]();]+\s*$ | (?:\w+\s*[=:]\s*)?[{\[]\s*$ | "\w+"\s*: | @\w+
    )""",
    re.VERBOSE,
)
_CODE_MARKS = re.compile(r"[{}()\[\];=<>|\\_`$&*/]")
_MOST_CODE_MARKS = 0.1
# "My bus was late 😡 the driver said nothing": pictures end a sentence; but "I ❤️ my cat" has one for a verb.
_PICTURE = "[\u2600-\u2604\u2607-\u27bf\ufe0f\u200d\U0001f300-\U0001faff]"
_PICTURES = f"{_PICTURE}+"
_PICTURES_BETWEEN = re.compile(
    rf"(?<=[\w!?.,])(?<!\bI)(?<!\bwe)(?<!\byou)(?<!\bthey)(?<!\bis)(?<!\band) ?{_PICTURES}(?: {_PICTURES})*"
    r"(?= (?:I|i'\w+|im|ive|we|my|our|he|she|hes|shes|they|it|its|his|her|their|the|this|that|there|mr|mrs|ms|dr|so|and"
    r"|but|also|just|got|gonna|gotta"
    r"|going|then|now|thanks|lol|omg)\b)",
    re.IGNORECASE,
)
# From the first of a run, and of so many runs, or a message of pictures would be gone through from each of them.
_PICTURES_AT_END = re.compile(
    rf"(?<!{_PICTURE})(?<!\bis)(?<!\bare)(?<!\band) ?{_PICTURES}(?: {_PICTURES}){{0,20}}(?=[ \t]*(?:[.!?,;]|$))",
    re.MULTILINE,
)
_HEART = re.compile(r"\b(?P<who>I|we) ?[❤♥]\ufe0f? (?=\w)", re.IGNORECASE)
_HEADING = re.compile(r"^(?P<heading>[^.!?\n]{2,100}):\s*$")
_LONGEST_HEADING_WORDS = 14


@dataclass(frozen=True, slots=True)
class MessageLine:
    """One sentence, and for an item of a list the heading it stands under. `whole` is the sentence as it was said."""

    text: str
    heading: str = ""
    whole: str = ""


def extract_prose(text: str) -> str:
    """The message without code, logs, tables and the timestamps of exports, line by line."""
    text = tidy_spacing(text.replace("\r\n", "\n").replace("\r", "\n").replace("’", "'"))
    text = CODE_BLOCK.sub("\n\n", TIME_PREFIX.sub("", text, count=1))
    text = _HEART.sub(r"\g<who> love ", text)
    text = with_full_stops(_PICTURES_AT_END.sub("", _PICTURES_BETWEEN.sub(_end_sentence, text)))
    return "\n".join("" if _is_code(line) else line for line in text.split("\n"))


def _end_sentence(pictures: re.Match[str]) -> str:
    return "" if pictures.string[pictures.start() - 1] in ".!?," else "."


def holds_code(text: str) -> bool:
    """Return whether the message has lines that are no prose."""
    return len(extract_prose(text).replace("\n", "")) < len(tidy_spacing(text).replace("\n", ""))


def read_lines(prose: str) -> Iterator[MessageLine]:
    """The sentences of a message in order."""
    heading = ""
    for line in restate_changes(prose, "en").split("\n"):
        if not line.strip():
            continue
        bullet = _BULLET.match(line)
        text = join_lines(line[bullet.end() :] if bullet else line).strip(" >#*")
        if titled := _HEADING.match(text):
            heading = titled["heading"] if len(text.split()) <= _LONGEST_HEADING_WORDS else ""
            if is_request(heading, "en"):
                yield MessageLine(text)
            continue
        if bullet and heading:
            yield MessageLine(text, heading)
            continue
        if heading and is_all_quoted(text):
            text = f"{heading}: {text}"
        heading = ""
        for sentence in _with_whole_quotations(split_sentences(text)):
            yield MessageLine(sentence)


# What somebody else wrote is longer than a title or a name.
_LEAST_QUOTED_WORDS = 4


def is_all_quoted(text: str) -> bool:
    """Return whether a line is nothing but a quotation: somebody's words, and not the user's own."""
    bare = text.rstrip(".!? ")
    is_marked = bare[:1] in ('"', "“") and bare[-1:] in ('"', "”") and len(bare) > 1
    return is_marked and len(bare.split()) >= _LEAST_QUOTED_WORDS


def quotes_sentences(sentence: str) -> bool:
    """Return whether a sentence holds a quotation of more than one sentence, or is nothing but a quotation."""
    return is_all_quoted(sentence) or bool(_SENTENCES_QUOTED.search(sentence))


_SENTENCES_QUOTED = re.compile(r"[\"“][^\"“”]*[.!?] [^\"“”]*[\"”]")


def _with_whole_quotations(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences that stand in one pair of quotation marks stay together: nobody but the one quoted says them."""
    held: list[str] = []
    for sentence in sentences:
        held.append(sentence)
        words = " ".join(held)
        is_open = words.count('"') % 2 == 1 or words.count("“") > words.count("”")
        if not is_open or len(held) == _MOST_QUOTED_SENTENCES:
            yield words
            held = []
    yield from held


_MOST_QUOTED_SENTENCES = 12


def _is_code(line: str) -> bool:
    if _LOG.match(line) or line.count("|") >= 2 or line.count("\t") >= 2:
        return True
    marks = len(_CODE_MARKS.findall(line))
    return marks >= 3 and marks > len(line) * _MOST_CODE_MARKS
