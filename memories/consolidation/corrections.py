"""What a draft corrects or ends among the memories that a cube holds.

Precision comes first: a memory that was retired wrongly is a truth lost. Words alone decide, and what they do not
decide stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from memories.consolidation.ends import called_off
from memories.consolidation.ends.chinese import called_off as called_off_chinese
from memories.consolidation.ends.ended_by_words import rewrite_in_third_person
from memories.consolidation.ends.other_persons import denies_of_somebody, is_of_another
from memories.consolidation.ends.other_states import ends_memory
from memories.consolidation.ends.phrases.former_partners import says_parting, write_of_former_partner
from memories.models import Conversation, Memory
from memories.text.clauses.changed_values import compute_shared_part, holds_words
from memories.text.clauses.corrections import correct_text
from memories.text.clauses.wording import read_wordings
from memories.text.content import hash_content
from memories.text.slots import find_states, holds_many_values, is_name_of_slot, parse_life_owner
from memories.text.slots.registry import load_relations
from memories.text.words.tokenize import extract_keywords
from memories.text.zh.script import to_simplified
from memories.values import Draft, MemoryKind

# The key in a memory's `details` that names the slot of which it says that it is empty now.
ENDS = "ends"
# The share of the shorter statement's terms that both have, if they are about the same: within one conversation, where
# somebody corrects what was just said, less will do.
_SAME_TALK, _OTHER_TALK = 0.34, 0.6
# A name, or a number that hardly stands twice.
_SPECIFIC = re.compile(r"[A-Z][a-z]|\d{3}")


def may_retire(draft: Draft) -> bool:
    """Return whether the draft says that another statement was wrong, or is over."""
    says_over = draft.is_end or says_parting(to_simplified(draft.text), draft.language)
    return bool(draft.supersedes or draft.corrects or says_over or denies_of_somebody(draft.text))


def find_corrected(draft: Draft, held: Iterable[Memory], conversation: Conversation) -> list[Memory]:
    """The memories that the draft names as replaced, that have the words that it corrects, or that say of somebody
    what it says is so of another."""
    if denies_of_somebody(draft.text):
        return [memory for memory in held if is_of_another(draft.text, memory.text)]
    if not (draft.supersedes or draft.corrects):
        return []
    named = {hash_content(text) for text in draft.supersedes}
    memories = [memory for memory in held if memory.speaker == draft.speaker]
    replaced = [memory for memory in memories if bytes(memory.content_hash) in named]
    # Where the talk itself showed what was meant, nothing else is looked for.
    return (
        replaced
        or [memory for memory in memories if _is_corrected(memory, draft, conversation)]
        or _find_only_holder(memories, draft)
    )


def _find_only_holder(held: Iterable[Memory], draft: Draft) -> list[Memory]:
    """The one memory with a name or code that the draft corrects, whatever else it says: it was said wrongly there."""
    specific = [words for words in draft.corrects if _SPECIFIC.search(words)]
    holding = [
        memory
        for memory in held
        if memory.text != draft.text and any(holds_words(memory.text, words) for words in specific)
    ]
    return holding if len(holding) == 1 and correct_text(holding[0].text, draft) else []


def _is_corrected(memory: Memory, draft: Draft, conversation: Conversation) -> bool:
    if memory.text == draft.text or not any(holds_words(memory.text, words) for words in draft.corrects):
        return False
    if draft.slot and memory.slot == draft.slot:
        return True
    least = _SAME_TALK if memory.conversation_key == conversation.external_id else _OTHER_TALK
    is_of_one = _find_subject(memory.text) == _find_subject(draft.text)
    return is_of_one and compute_shared_part(draft.text, memory.text, draft.corrects) >= least


def find_ended(draft: Draft, held: Iterable[Memory]) -> list[Memory]:
    """The memories of the slot that the draft says is over, of which none with another value was meant, and those of
    the partner whom the user has parted from."""
    held = list(held)
    return [*_find_of_slot(draft, held), *(memory for memory in held if _is_of_former_partner(memory, draft))]


def _is_of_former_partner(memory: Memory, draft: Draft) -> bool:
    if memory.language != draft.language or memory.speaker or memory.text == draft.text:
        return False
    new, old = to_simplified(draft.text), to_simplified(memory.text)
    return bool(write_of_former_partner(new, old, draft.language))


def _find_of_slot(draft: Draft, held: Iterable[Memory]) -> list[Memory]:
    if not (draft.is_end and draft.slot):
        return []
    memories = [memory for memory in held if memory.text != draft.text and _is_over(memory, draft)]
    owner = parse_life_owner(draft.slot)
    kinds = {f"pet:{owner}", draft.slot}
    # "The cat died" of two that have names: which of them, nobody knows.
    named = {memory.slot for memory in memories if memory.slot.startswith("pet:")} - kinds
    return [] if len(named) > 1 else memories


def _is_over(memory: Memory, draft: Draft) -> bool:
    slots = _find_slots(memory)
    if who := parse_life_owner(draft.slot):
        # With somebody's life all that was so of them is over; of a pet, that the user has it.
        is_pet = any(slot.startswith("pet:") for slot in slots) and _names_animal(memory.text, who)
        is_of_one = not (is_pet and _is_one_of_several(draft.text, memory.text))
        return is_of_one and (is_pet or any(slot.startswith(f"{who}:") for slot in slots))
    if draft.slot.startswith("pet:") and _is_one_of_several(draft.text, memory.text):
        return False
    if draft.slot in slots:
        return _may_be_of(draft.value, memory)
    # "pet:cat" is over, and with it "pet:tom" that says of a cat; another person's stays.
    kind, _, thing = draft.slot.rpartition(":")
    is_of_kind = (
        bool(kind) and holds_many_values(draft.slot) and kind in {s.rpartition(":")[0] for s in slots}
    )
    named = draft.value or thing
    return (
        is_of_kind and bool(named) and (holds_words(memory.text, named) or _names_animal(memory.text, named))
    )


def _names_animal(text: str, animal: str) -> bool:
    """Return whether a statement has the animal's name, or a word for what it is: "cat" of 用户养了一只猫."""
    words = {word for word, name in load_relations().items() if name == animal and not word.isascii()}
    statement = to_simplified(text)
    return any(word in statement for word in words) or all(
        holds_words(statement, word) for word in animal.split()
    )


# 两只猫: one of them is gone, unless all are.
_SEVERAL = re.compile("[二两三四五六七八九十几0-9]+[只条匹头窝]|一[对窝群]")
_ALL = re.compile("都|全|[二两三四五六七八九十几0-9]+[只条匹头]")


def _is_one_of_several(new: str, old: str) -> bool:
    """Return whether the older Chinese statement counts several animals, of which the new one does not say all."""
    return _SEVERAL.search(to_simplified(old)) is not None and _ALL.search(to_simplified(new)) is None


def _find_slots(memory: Memory) -> set[str]:
    """Its own, and those that its sentence describes; none of a sentence that says that something is over."""
    if ENDS in memory.details or memory.kind not in (MemoryKind.FACT, MemoryKind.PREFERENCE):
        return set()
    states = find_states(memory.text, memory.language)
    return {memory.slot, *(state.slot for state in states if not state.is_end)} - {""}


def _may_be_of(value: str, memory: Memory) -> bool:
    # "sold the car" ends whatever car it was.
    if not value or is_name_of_slot(value, memory.slot) or holds_words(memory.text, value):
        return True
    terms = set(extract_keywords(value))
    return bool(terms) and terms <= set(extract_keywords(memory.text))


def calls_off(draft: Draft) -> bool:
    """Return whether the draft says that an appointment, a booking or a plan comes to nothing."""
    return _read_calling_off(draft) is not None


def find_called_off(draft: Draft, near: Iterable[Memory], conversation: Conversation) -> list[Memory]:
    """The memory of what the draft calls off.

    Where several fit, it is the only one of the day that the draft names, or the only one that this conversation
    spoke of; else nobody knows which one was meant, and all stay.
    """
    called = _read_calling_off(draft)
    memories = [
        memory
        for memory in near
        if called is not None
        and not called.spares(memory.text)
        and (called.is_of(memory.text) or ends_memory(draft.text, memory.text, draft.language))
    ]
    if called is None or len(memories) <= 1:
        return memories
    of_day = [memory for memory in memories if called.names_day_of(memory.text)]
    of_talk = [memory for memory in memories if memory.conversation_key == conversation.external_id]
    return next((chosen for chosen in (of_day, of_talk) if len(chosen) == 1), [])


def _read_calling_off(draft: Draft) -> called_off.CalledOff | called_off_chinese.CalledOff | None:
    if draft.language == "zh":
        return called_off_chinese.read_calling_off(draft.text)
    return called_off.read_calling_off(rewrite_in_third_person(draft.text))


def _find_subject(text: str) -> str:
    wordings = read_wordings(text)
    return wordings[0].subject if wordings else ""
