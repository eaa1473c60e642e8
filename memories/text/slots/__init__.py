"""States of people that a later statement replaces: one registry of slots for both languages."""

from memories.text.slots.chinese import find_chinese_states
from memories.text.slots.english import find_english_states
from memories.text.slots.naming import name_slots
from memories.text.slots.registry import (
    find_slot_by_label,
    find_slots_named,
    get_condition_pattern,
    get_relation_name,
    get_slot_title,
    holds_many_values,
    is_name_of_slot,
    parse_life_owner,
)
from memories.text.slots.states import State, find_state, find_states

__all__ = [
    "State",
    "get_condition_pattern",
    "find_chinese_states",
    "find_english_states",
    "find_state",
    "find_states",
    "holds_many_values",
    "is_name_of_slot",
    "parse_life_owner",
    "name_slots",
    "get_relation_name",
    "find_slot_by_label",
    "find_slots_named",
    "get_slot_title",
]
