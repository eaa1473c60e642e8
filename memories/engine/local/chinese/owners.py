"""Whose the thing is that a Chinese clause is about, where the clause does not say it."""

from __future__ import annotations

from memories.engine.local.chinese.groups import ClauseGroup
from memories.engine.local.chinese.parsing.heads import OWN, Head
from memories.engine.local.chinese.referents import Referent, is_acquaintance


def give_owner(group: ClauseGroup, head: Head, topic: Referent, sentence_before: ClauseGroup | None) -> None:
    """Of relatives and animals a talk goes on to tell; behind 老宁退伙了 the orders are not his, and the knee that a
    trainer spares is the user's.

    `group` has one clause; `sentence_before` is None where the clause goes on with its own sentence.
    """
    clause = group.clauses[0]
    is_own = OWN.match(clause, head.start) is not None
    if sentence_before and is_acquaintance(topic):
        if not is_own:
            return
        if sentence_before.is_done_to_user:
            group.clauses[0] = f"{clause[: head.start]}我的{clause[head.start :]}"
            return
    group.subject, group.is_dropped = topic, True
