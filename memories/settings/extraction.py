"""Project settings of extraction.

`instructions` are for the chat model alone: rules cannot read them. `never` holds for either engine: what it proposes
is looked through afterwards, and a turn with such a word is not kept as it was said either.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from memories.engine.protocols import Extraction
from memories.text.words.tokenize import search_terms
from memories.values import Draft
from tenancy.errors import InvalidParameters
from tenancy.models import Project

SETTING = "extraction"
MOST_LETTERS = 2_000
MOST_WORDS, LONGEST_WORD = 50, 60
DROPPED = "never_remember"


@dataclass(frozen=True)
class ExtractionPolicies:
    """Each of `never` is a word, a tag or a few words that must all be there."""

    instructions: str = ""
    never: tuple[str, ...] = ()

    @classmethod
    def of(cls, project: Project) -> ExtractionPolicies:
        stored = project.settings.get(SETTING, {})
        return cls(stored.get("instructions", ""), tuple(stored.get("never", ())))

    def as_setting(self) -> dict[str, Any]:
        """Raises `InvalidParameters` for more than fits, and for words that no text can have."""
        if len(self.instructions) > MOST_LETTERS:
            raise InvalidParameters(f"instructions: at most {MOST_LETTERS} characters")
        if len(self.never) > MOST_WORDS:
            raise InvalidParameters(f"never: at most {MOST_WORDS} lines")
        for words in self.never:
            if len(words) > LONGEST_WORD or not _get_terms(words):
                raise InvalidParameters(f"never: at most {LONGEST_WORD} characters a line, with a word in it")
        return {"instructions": self.instructions, "never": list(self.never)}

    @cached_property
    def _never(self) -> list[frozenset[str]]:
        return [_get_terms(words) for words in self.never]

    def forbids(self, *texts: str) -> bool:
        """Return whether these texts together say what must not be remembered, in whatever form of the words."""
        if not self.never:
            return False
        terms = {term for text in texts for term in search_terms(text)}
        return any(words and words <= terms for words in self._never)

    def allows(self, draft: Draft) -> bool:
        return not self.forbids(draft.text, draft.title, draft.reasoning, *draft.tags)

    def narrow(self, extraction: Extraction) -> Extraction:
        """Remove what must not be remembered; it is counted among what was dropped."""
        drafts = [draft for draft in extraction.drafts if self.allows(draft)]
        left_out = len(extraction.drafts) - len(drafts)
        if not left_out:
            return extraction
        return replace(extraction, drafts=drafts, dropped={**extraction.dropped, DROPPED: left_out})


def _get_terms(words: str) -> frozenset[str]:
    return frozenset(search_terms(words))
