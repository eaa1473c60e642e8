"""Split a conversation into windows that a model takes at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memories.engine.metering import estimate_prompt_tokens
from memories.values import Turn

# What the wrapping of one message costs: its keys, time, quotation marks.
_TOKENS_AROUND = 40
# So many messages before a part's first are shown again, if they are short: "the second one" needs its list.
_SHOWN_AGAIN = 4
_SHARE_SHOWN_AGAIN = 0.25
_SENTENCE_ENDS, _WORD_ENDS = ("\n", "。", "！", "？", ". ", "! ", "? "), ("，", "；", " ")


@dataclass(frozen=True, slots=True)
class WindowPiece:
    """A message or a part of a long one. A known piece is only there to understand the others."""

    at: int
    turn: Turn
    text: str
    is_known: bool

    @property
    def tokens(self) -> int:
        return estimate_prompt_tokens(self.text) + _TOKENS_AROUND


Window = list[WindowPiece]


def build_windows(turns: Sequence[Turn], places: Sequence[int], known: int, limit: int) -> list[Window]:
    """The messages at these places in windows of about so many tokens, each with something new in it."""
    pieces = [piece for at in places for piece in _split_turn(turns[at], at, at < known, limit // 2)]
    first = next((place for place, piece in enumerate(pieces) if not piece.is_known), len(pieces))
    windows: list[Window] = []
    starts: list[int] = []
    capacity = limit * (1 - _SHARE_SHOWN_AGAIN)
    for place, piece in enumerate(pieces[first:], first):
        if not windows or sum(earlier.tokens for earlier in windows[-1]) + piece.tokens > capacity:
            windows.append([])
            starts.append(place)
        windows[-1].append(piece)
    return [
        [*_repeat_last_messages(pieces[:start], limit), *window]
        for start, window in zip(starts, windows, strict=True)
    ]


def _repeat_last_messages(before: Sequence[WindowPiece], limit: int) -> Window:
    """The last messages before a window, as far as they fit."""
    capacity = limit * _SHARE_SHOWN_AGAIN
    shown: Window = []
    for piece in reversed(before[-_SHOWN_AGAIN:]):
        capacity -= piece.tokens
        if capacity < 0:
            break
        shown.insert(0, replace(piece, is_known=True))
    return shown


def _split_turn(turn: Turn, at: int, is_known: bool, limit: int) -> Iterator[WindowPiece]:
    text = turn.text
    while (tokens := estimate_prompt_tokens(text)) > limit:
        cut = _find_cut(text, len(text) * limit // tokens)
        yield WindowPiece(at, turn, text[:cut], is_known)
        text = text[cut:]
    if text.strip():
        yield WindowPiece(at, turn, text, is_known)


def _find_cut(text: str, longest: int) -> int:
    """Find where to cut: behind the last sentence that fits, else behind the last word, else in the middle of one."""
    for ends in (_SENTENCE_ENDS, _WORD_ENDS):
        best = max(text.rfind(end, longest // 2, longest) for end in ends)
        if best >= 0:
            return best + 1
    return max(1, longest)
