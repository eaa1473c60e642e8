"""How e5 reads a text: as the pieces of its vocabulary that are likeliest together (SentencePiece's unigram model).

Source: Kudo, "Subword Regularization: Improving Neural Network Translation Models with Multiple Subword Candidates",
ACL 2018, section 3.2. A piece's number is a polynomial hash (Karp & Rabin 1987) in whole numbers of 64 bits.

Libraries that do this hold 50 to 260 MB for a vocabulary of 250,000 pieces, in each process that embeds. Here a piece
is a number of 64 bits, made of its letters, and the vocabulary is those numbers in order: 3 MB.
"""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from memories.engine.local.embedder.packed import Packed, Vocabulary

# Stands for a space, at the beginning of each word.
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
_SPACES = re.compile(" {2,}")
# A character that no piece holds counts as this much less likely than the least likely piece.
_UNKNOWN_MALUS = 10.0
# Odd, and otherwise of no meaning. Two pieces of one number would be found when the vocabulary is read; that some other
# text has the number of a piece happens once in 10^14.
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

# The letters of a text, each as its code point plus 1: uint64, shape (n,).
Letters = NDArray[np.uint64]
# Where a piece ends, its place in the vocabulary, the logarithm of its probability.
PieceMatch = tuple[int, int, float]


class Pieces:
    def __init__(self, model: Packed) -> None:
        self._replaced = model.replaced
        self._scores = model.vocabulary.scores
        self._unknown = model.unknown
        self._unknown_score = float(self._scores.min()) - _UNKNOWN_MALUS
        numbers, self._longest = _encode_pieces(model.vocabulary)
        self._order = np.argsort(numbers).astype(np.int32)
        self._numbers = numbers[self._order]
        if (self._numbers[1:] == self._numbers[:-1]).any():
            raise RuntimeError("two pieces of the vocabulary have one number: choose another factor")

    def of(self, text: str) -> list[int]:
        """The numbers of the text's pieces, in order."""
        read = _SPACES.sub(" ", text.translate(self._replaced))
        marked = (read if read.startswith(" ") else f" {read}").replace(" ", SPACE)
        return self._choose_likeliest(len(marked), self._find_pieces(_encode_letters(marked)))

    def _find_pieces(self, letters: Letters) -> dict[int, list[PieceMatch]]:
        """All pieces that the text holds, by where they begin."""
        pieces_by_start = defaultdict(list)
        numbers, longest = np.zeros(len(letters), np.uint64), _find_longest_pieces(letters)
        for length in range(1, min(self._longest, int(longest.max(initial=0))) + 1):
            numbers = numbers[: len(letters) - length + 1] * _FACTOR + letters[length - 1 :]
            (starts,) = np.nonzero(longest[: len(numbers)] >= length)
            places = np.searchsorted(self._numbers, numbers[starts]).clip(max=len(self._numbers) - 1)
            is_piece = self._numbers[places] == numbers[starts]
            starts, pieces = starts[is_piece], self._order[places[is_piece]]
            ends = zip(starts.tolist(), pieces.tolist(), self._scores[pieces].tolist(), strict=True)
            for start, piece, score in ends:
                pieces_by_start[start].append((start + length, piece, score))
        return pieces_by_start

    def _choose_likeliest(self, size: int, pieces_by_start: dict[int, list[PieceMatch]]) -> list[int]:
        """When a place is left, the likeliest way to it is known (Viterbi 1967). Scores are log-probabilities."""
        best = [0.0] + [float("-inf")] * size
        came = [(0, self._unknown)] * (size + 1)
        for start in range(size):
            alone = best[start] + self._unknown_score
            if alone > best[start + 1]:
                best[start + 1], came[start + 1] = alone, (start, self._unknown)
            for stop, piece, score in pieces_by_start.get(start, ()):
                if best[start] + score > best[stop] and piece != self._unknown:
                    best[stop], came[stop] = best[start] + score, (start, piece)
        return _trace_back(came)


def _find_longest_pieces(letters: Letters) -> NDArray[np.int64]:
    """Find how long a piece that begins at each letter may be: int64, shape (n,). It holds no space but at its
    beginning."""
    places = np.arange(len(letters))
    (spaces,) = np.nonzero(letters == _encode_letters(SPACE)[0])
    ends = np.append(spaces, len(letters))
    longest: NDArray[np.int64] = ends[np.searchsorted(ends, places, side="right")] - places
    return longest


def _encode_letters(text: str) -> Letters:
    # Counted from 1, so that a number says how many letters it is made of.
    return np.frombuffer(text.encode("utf-32-le"), np.uint32).astype(np.uint64) + np.uint64(1)


def _encode_pieces(vocabulary: Vocabulary) -> tuple[NDArray[np.uint64], int]:
    """One number for each piece, uint64, shape (v,); and how many letters the longest has."""
    letters = _encode_letters(bytes(vocabulary.text).decode())
    begins_letter = (vocabulary.text & 0xC0) != 0x80  # in UTF-8
    before = np.concatenate([[0], np.cumsum(begins_letter)])[vocabulary.offsets]
    starts, lengths = before[:-1], np.diff(before)
    numbers, going = np.zeros(len(lengths), np.uint64), np.arange(len(lengths))
    for place in range(longest := int(lengths.max())):
        going = going[lengths[going] > place]  # most are short
        numbers[going] = numbers[going] * _FACTOR + letters[starts[going] + place]
    return numbers, longest


def _trace_back(came: list[tuple[int, int]]) -> list[int]:
    pieces, place = [], len(came) - 1
    while place:
        place, piece = came[place]
        pieces.append(piece)
    return pieces[::-1]
