"""Patterns of the readers of files that take more than linear time."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from time import process_time

from memories import files

# Eight times as long: what is linear takes 8 times as long, what is quadratic 64 times.
SHORT, LONG, MOST_GROWTH = 250, 2_000, 24.0
# Computing time below which a clock tells nothing; quadratic, a pattern takes several times as long for `LONG`.
FAST_SECONDS = 0.005
_BEGINNINGS = ("", "# a", "[", "**", "|", "data:a/b", "<meta", "(", "1", "问", ":", "?")
PUMPED = (
    *(
        " ",
        "\t",
        "\n",
        " \n",
        "\u3000",
        "a",
        "a ",
        "1",
        "1.",
        "1,",
        ".",
        ". ",
        "-",
        "- ",
        "--",
        "|",
        "| ",
        "|-",
    ),
    *(
        "#",
        "# ",
        "[",
        "[a](",
        "![",
        "*",
        "**",
        "**a ",
        "__",
        "`",
        "(",
        "((",
        ")",
        ":",
        ": ",
        "：",
        "。",
        "? ",
    ),
    *(
        '?"',
        "”",
        ";",
        "e.g. ",
        ";a=b",
        "=",
        "<meta ",
        "charset=",
        "一、",
        "十",
        "iv",
        "x",
        "<",
        "&",
        "\\",
        "/",
    ),
    *("2020:01:01 ", "a-", "a_", "问", "Q", "h1", ".a", "\x1f"),
)


def patterns() -> dict[str, re.Pattern[str] | re.Pattern[bytes]]:
    """Every compiled pattern of the modules that take in files and read them."""
    patterns: dict[str, re.Pattern[str] | re.Pattern[bytes]] = {}
    for module in pkgutil.walk_packages(files.__path__, f"{files.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, re.Pattern):
                patterns.setdefault(f"{module.name}.{name}", value)
    return patterns


def pumped_text(beginning: str, piece: str, size: int) -> str:
    return f"{beginning}{(piece * size)[:size]}~"


def seconds(work: Callable[[], object]) -> float:
    """Computing time of this process, whatever else the machine does.

    Without the collection of garbage: what it takes depends on all that other tests have loaded.
    """
    gc.disable()
    try:
        began = process_time()
        work()
        return process_time() - began
    finally:
        gc.enable()


def search_all(pattern: re.Pattern[str] | re.Pattern[bytes], text: str) -> None:
    content = text.encode() if isinstance(pattern.pattern, bytes) else text
    for _ in pattern.finditer(content):  # type: ignore[arg-type]
        pass


def slow_patterns() -> Iterator[str]:
    texts = [
        (pumped_text(beginning, piece, SHORT), pumped_text(beginning, piece, LONG))
        for beginning in _BEGINNINGS
        for piece in PUMPED
    ]
    for name, pattern in patterns().items():
        for short, long in texts:
            took = seconds(lambda: search_all(pattern, long))  # noqa: B023
            if took > FAST_SECONDS:
                usual = min(seconds(lambda: search_all(pattern, short)) for _ in range(5))  # noqa: B023
                took = min(took, seconds(lambda: search_all(pattern, long)))  # noqa: B023
                if took > max(FAST_SECONDS, MOST_GROWTH * usual):
                    yield f"{name}: {short[:20]!r} {usual * 1000:.1f} ms, {took * 1000:.1f} ms"
                    break
