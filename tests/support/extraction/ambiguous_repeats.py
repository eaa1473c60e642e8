"""Finds repeated parts of regular expressions that can be read in more than one way.

`(?:刚刚?|最近)*` reads 刚刚 as one and as two, and so 刚刚 twenty times in a million ways: where the pattern fails in
the end, it tries them all. Each repeated group is compiled alone, as the parser of `re` gives it, with a character
behind it that never comes, and matched with what its own body matches, over and over.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from time import process_time
from types import FrameType, ModuleType
from typing import Any

_REPEATS = (_constants.MAX_REPEAT, _constants.MIN_REPEAT)
_SINGLE = (_constants.LITERAL, _constants.NOT_LITERAL, _constants.ANY, _constants.IN)
# A group that may come seldom cannot be read in many ways.
_MANY = 10
_NEVER = (_constants.LITERAL, 0x1F)
_COUNTS = range(8, 33, 4)
_LEAST_SECONDS = 0.003
_LONGEST_SECONDS = 2.0
_CATEGORIES = {
    _constants.CATEGORY_DIGIT: "1",
    _constants.CATEGORY_SPACE: " ",
    _constants.CATEGORY_WORD: "a",
}
_ANY_CHARACTERS = "一a1 "
# A module without such a call need not be taken apart.
_CALL = re.compile(r"\bre\.\w+\(\s*(?:#.*\s*)*[rRuU]?[\"']")


def list_patterns(package: str) -> Iterator[tuple[str, re.Pattern[str]]]:
    """The patterns that modules of a package keep compiled or write where they use them, with where they are."""
    for info in pkgutil.walk_packages([package], f"{package}."):
        if ".migrations" in info.name or ".management" in info.name:
            continue
        module = importlib.import_module(info.name)
        for name, value in vars(module).items():
            yield from ((f"{info.name}.{name}", pattern) for pattern in _list_held(value))
        yield from _list_written(module)


def _list_written(module: ModuleType) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Of `re.search("…", text)` and the like."""
    source = inspect.getsource(module) or ""
    for node in ast.walk(ast.parse(source)) if _CALL.search(source) else ():
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re")), args=[ast.Constant(value=str(written)), *_]
            ):
                is_verbose = "VERBOSE" in ast.dump(node)
                yield f"{module.__name__}:{node.lineno}", re.compile(written, re.VERBOSE if is_verbose else 0)


def _list_held(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _list_held(item)
    elif isinstance(value, dict):
        yield from _list_held(list(value.values()))


def find_ambiguous_repeat(pattern: re.Pattern[str], known: set[str]) -> str:
    """What a repeated group of the pattern reads in ever more ways; "" for nothing. `known` has the groups that were
    looked at before, and takes these."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    for operation, argument in _list_repeats(tree):
        if (key := repr(argument)) in known:
            continue
        known.add(key)
        alone = _parser.SubPattern(tree.state)
        alone.append((operation, argument))
        alone.append(_NEVER)
        compiled = _compiler.compile(alone, pattern.flags & (re.IGNORECASE | re.DOTALL | re.MULTILINE))
        for text in filter(None, _list_samples(argument[2])):
            if _grows_too_fast(compiled, text):
                return text
    return ""


def _grows_too_fast(pattern: re.Pattern[str], text: str) -> bool:
    """Return whether four repetitions more take many times as long: in two ways each, sixteen times."""
    before = _measure(pattern, text * _COUNTS[0])
    for count in _COUNTS[1:]:
        took = _measure(pattern, text * count)
        if took > _LEAST_SECONDS and took > 6 * before:
            took = min(took, _measure(pattern, text * count))  # something else may have come between
            if took > 6 * before:
                return True
        before = took
    return False


def _measure(pattern: re.Pattern[str], text: str) -> float:
    """The processor's seconds; infinite where it takes too long."""
    began = process_time()
    try:
        with _stopped_after(_LONGEST_SECONDS):
            pattern.match(text)
    except TimeoutError:
        return float("inf")
    return process_time() - began


@contextmanager
def _stopped_after(seconds: float) -> Iterator[None]:
    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _list_repeats(parsed: Any) -> Iterator[tuple[Any, Any]]:
    """The groups that come many times; repeats of one character are read in one way."""
    for operation, argument in parsed:
        if operation in _REPEATS:
            _, most, body = argument
            if most >= _MANY and not (len(body) == 1 and body[0][0] in _SINGLE):
                yield operation, argument
        for part in _list_parts(operation, argument):
            yield from _list_repeats(part)


def _list_parts(operation: Any, argument: Any) -> list[Any]:
    if operation in _REPEATS:
        return [argument[2]]
    if operation is _constants.BRANCH:
        return list(argument[1])
    if operation is _constants.SUBPATTERN:
        return [argument[3]]
    if operation in (_constants.ASSERT, _constants.ASSERT_NOT):
        return [argument[1]]
    if operation is _constants.GROUPREF_EXISTS:
        return [part for part in argument[1:] if part]
    return []


def _list_samples(parsed: Any) -> list[str]:
    """Texts that the parts match one after the other: each part in each of its ways, the others in their first."""
    ways = [_list_ways(*part) or [""] for part in parsed]
    first = [way[0] for way in ways]
    varied = (
        "".join([*first[:at], way, *first[at + 1 :]]) for at, options in enumerate(ways) for way in options
    )
    return list(dict.fromkeys(["".join(first), *varied]))


def _list_ways(operation: Any, argument: Any) -> list[str]:
    if operation is _constants.LITERAL:
        return [chr(argument)]
    if operation is _constants.NOT_LITERAL:
        return [next(character for character in _ANY_CHARACTERS if ord(character) != argument)]
    if operation is _constants.ANY:
        return list(_ANY_CHARACTERS[:2])
    if operation is _constants.IN:
        return _list_members(argument)
    if operation in _REPEATS:
        least, _, body = argument
        return ([""] if not least else []) + [way * max(least, 1) for way in _list_samples(body)]
    if operation in (_constants.BRANCH, _constants.SUBPATTERN):
        return [way for part in _list_parts(operation, argument) for way in _list_samples(part)]
    return [""]


def _list_members(members: list[Any]) -> list[str]:
    if members[0][0] is _constants.NEGATE:
        barred = {value for kind, value in members if kind is _constants.LITERAL}
        return [character for character in _ANY_CHARACTERS if ord(character) not in barred][:2]
    samples = []
    for kind, value in members[:4]:
        if kind is _constants.LITERAL:
            samples.append(chr(value))
        elif kind is _constants.RANGE:
            samples.append(chr(value[0]))
        else:
            samples.append(_CATEGORIES.get(value, "-"))
    return samples
