"""Adjustments in log-odds besides the fitted formulas: conversation, recency, state, time, health, doubt."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from memories.engine.calibration.model import IDENTITY_FROM, IDENTITY_SURE, CalibratedNearness
from memories.retrieval.queries.parser import JOB, Question, TimeTarget
from memories.retrieval.ranking.arrays import Floats, Mask
from memories.retrieval.ranking.candidate_table import ASSISTANT, CandidateTable, Pool
from memories.retrieval.ranking.features import compute_recency, matches_date
from memories.values import Confidence, MemoryKind

# Log-odds by name of the part, each float64 of shape (n,).
Parts = dict[str, Floats]

# Adjustments in log-odds, chosen by hand. They decide between memories that answer about equally well (1.0 is worth
# less than 0.01 of cosine between statements of a model without calibration); only superseded memories fall below every
# threshold, unless the question is about the past.
_SAME_CONVERSATION = 1.0
# Recency boost: zero at an age of half a year.
_RECENT, _NEUTRAL_AGE = 0.8, 0.5
# Questions for what was recent: the newest answer gains `_NEWEST`, and each halving of recency against it costs
# 5 ln 2 = 3.5: two answers of one kind may differ by that much by their words alone.
_RECENT_WANTED, _NEWEST = 5.0, 0.8
_HALF_AS_RECENT = timedelta(days=180).total_seconds()  # seconds
# What only the assistant said ranks below what the user said, unless the question asks for it.
_ASSISTANT_SAID_IT, _ASSISTANT_ASKED = -3.0, 2.0
# Calibrated log-odds of statements lie closer together: there the adjustments weigh this much.
ADJUSTED = 0.3
SCALED = ("conversation", "topic")
# Facts about health, where the question is about food, treatment, exertion or care of others.
_HEALTH = 4.0
_HEALTH_SLOTS = frozenset({"allergy", "allergies", "condition", "medication", "diet"})
# "Who am I?": what says most of a person comes first, and everything the user said is an answer.
_PROFILE_STEEP, _PROFILE_MIDDLE = 4.0, 0.3
_PROFILE_SLOTS = {
    "name": 6.0,
    "job": 5.0,
    "employer": 4.0,
    "residence": 3.5,
    "age": 3.0,
    "hometown": 2.0,
    "marital status": 2.0,
    "children": 2.0,
    "partner": 1.5,
    "school": 1.5,
    "hobby": 1.0,
    "pet": 1.0,
}
_PROFILE_PREFERENCE = 0.5
# Who filters the memories by tags or fields of their own has said already what the question is about.
_FILTERED = 0.5
# Questions about a year: a state that held then is the answer, one that began later is none.
_HELD_THEN, _BEGAN_LATER = 1.0, -2.0
# Statements of what happened, or is to happen, in the year, in the month or on the day that is asked for: words say
# little in "What did I do in April?".
_DATED_BY_YEAR, _DATED_BY_MONTH, _DATED_BY_DAY = 1.0, 3.5, 4.5
# Events of another time, where a question that asks by its date alone has an answer.
_DATED_OTHERWISE = -4.0
_DOUBT = -1.5
# Statements about the current topic (see `compute_topic_boost`): decides where the question does not.
_TOPIC_BOOST = 1.3
# Statements that share no word with a question that names no person.
_OF_NOBODY = -1.5
# Statements of the very state that is asked for, however they are worded.
_STATE_ASKED = 1.5
# Questions for a job where nobody named it: what the user does for a living, which is near to them in few words.
_TRADE_ASKED = 5.0
# Statements about relatives and acquaintances, where a state of the user's own is asked for.
_OF_ACQUAINTANCE = 8.0
# Statements, where the question is about a relative whom none of them mentions. A statement about somebody of the same
# name or kind may be as near as the answer would be: no closeness outweighs this.
_OF_NOBODY_KNOWN = -30.0
# Statements without the value that is asked for, where they would be returned; those below are not looked at.
_WITHOUT_VALUE, _LOOKED_AT_FROM = -30.0, -1.0
# Corrections in a knowledge base: they rank before documents on the same subject, which may be outdated.
_CORRECTION = 2.5
# Memories with the exact reference of the question, such as an invoice number.
_REFERENCE = 8.0
_SUPERSEDED = {TimeTarget.BEFORE: 3.0, TimeTarget.ANY: -30.0, TimeTarget.NOW: -30.0}


@dataclass(frozen=True, slots=True)
class Situation:
    """Inputs of the ranker besides the question's words.

    Raw memories (not yet refined) of the running conversation or of the last minutes have no vector yet. They get at
    least the relativity `raw_floor`, so that what was just said is found by any question. `is_filtered`: the caller
    narrowed the memories by a filter.
    """

    now: datetime
    conversation: str = ""
    raw_floor: float = 0.5
    running: timedelta = timedelta(minutes=10)
    is_filtered: bool = False


def compute_adjustments(question: Question, pool: Pool, situation: Situation) -> Parts:
    table = pool.table
    now = situation.now.timestamp()
    is_passage = table.passages[0]
    return {
        "conversation": np.where(are_here(table, situation) & ~is_passage, _SAME_CONVERSATION, 0.0),
        "assistant": _compute_assistant_part(question, table),
        "confidence": _DOUBT * np.maximum(0.0, Confidence.USUAL - table.confidence),
        "topic": _TOPIC_BOOST * table.topic_boost * ~table.lines[0],
        "state": _compute_state_part(question, table),
        "corrected": np.where(table.is_correction, _CORRECTION, 0.0),
        "superseded": np.where(table.valid_until <= now, _SUPERSEDED[question.time_target], 0.0),
        "filter": _FILTERED * (table.statements & situation.is_filtered),
        **_compute_past_part(question, table),
        **_compute_date_part(question, table),
        **_compute_reference_part(question, table),
        **_compute_nobody_part(question, pool),
    }


def _compute_assistant_part(question: Question, table: CandidateTable) -> Floats:
    """Penalty of what only the assistant said: log-odds, shape (n,)."""
    part = _ASSISTANT_ASKED if question.asks_assistant else _ASSISTANT_SAID_IT
    return np.where(table.speakers.are(ASSISTANT), part, 0.0)


def _compute_past_part(question: Question, table: CandidateTable) -> Parts:
    """For questions about a past year or month: raise states that were valid then, lower those that began later."""
    if question.asked_time is None:
        return {}
    start, end = (bound.timestamp() for bound in question.asked_time)
    is_state = ~table.slots.are("") | ~np.isnan(table.valid_until)
    began = np.nan_to_num(table.stated_at, nan=-np.inf)
    over = np.nan_to_num(table.valid_until, nan=np.inf)
    held = (began < end) & (over > start)
    is_over = ~np.isnan(table.valid_until)
    held_then = np.where(is_state & held & is_over, _HELD_THEN, 0.0)
    return {"then": np.where(is_state & (began >= end), _BEGAN_LATER, held_then)}


def _compute_date_part(question: Question, table: CandidateTable) -> Parts:
    """Bonus of statements that name a date which the question names too."""
    if not question.dates:
        return {}
    happened = table.calendars[1]
    part = np.zeros(len(table))
    for date in question.dates:
        gain = _DATED_BY_DAY if date.day else _DATED_BY_MONTH if date.month else _DATED_BY_YEAR
        part = np.maximum(part, gain * matches_date(happened, date))
    # What has no date of its own is dated by the day on which it was said, and does not name its year.
    is_dated = np.zeros(len(table), dtype=bool)
    looked_at = happened if question.asks_by_date_alone else happened[part > 0]
    for year in np.unique(looked_at[:, 0]).tolist():
        is_dated |= table.contains_phrase(str(year)) & (happened[:, 0] == year)
    is_dated &= table.statements
    dated_part = part * is_dated
    if question.asks_by_date_alone and dated_part.any():
        # A state may have begun earlier and hold then.
        dated_part += np.where(is_dated & (part == 0) & table.slots.are(""), _DATED_OTHERWISE, 0.0)
    return {"date": dated_part}


def compute_relative_part(
    question: Question, table: CandidateTable, calibrated: CalibratedNearness
) -> Floats:
    """Penalty for "What does my brother do?" where no statement mentions a brother.

    Not where care is asked for: what the user must not eat matters for guests, too.
    """
    if not question.relative or calibrated.care:
        return np.zeros(len(table))
    is_mentioned = any((table.contains_phrase(term) & table.statements).any() for term in question.relative)
    # A preference may still be what a plan with somebody has to respect.
    is_fact = table.statements & ~table.kinds.are(MemoryKind.PREFERENCE.value)
    return np.where(is_fact & (not is_mentioned), _OF_NOBODY_KNOWN, 0.0)


def compute_rival_part(question: Question, table: CandidateTable, calibrated: CalibratedNearness) -> Floats:
    """Penalty for "What breed is my dog?" where no statement mentions a dog, as some do a rabbit."""
    part = np.zeros(len(table))
    rivals = question.rivals
    if rivals is None or calibrated.care:
        return part
    statements = np.flatnonzero(table.statements).tolist()
    terms = {place: table.terms.text(place) for place in statements}
    if any(rivals.asked.search(text) for text in terms.values()):
        return part
    is_fact = ~table.kinds.are(MemoryKind.PREFERENCE.value)
    for place, text in terms.items():
        if is_fact[place] and not rivals.is_answered_by(text, int(table.held[place])):
            part[place] = _OF_NOBODY_KNOWN
    return part


def compute_value_part(question: Question, table: CandidateTable, log_odds: Floats) -> Floats:
    """Penalty of statements without a value of the kind asked for. `log_odds`: what they have so far."""
    part = np.zeros(len(table))
    is_held = question.asked_value
    if is_held is None:
        return part
    # A preference may bear on an answer that it does not hold: in which unit to give it.
    is_fact = table.statements & ~table.kinds.are(MemoryKind.PREFERENCE.value)
    # A statement of the very state that is asked for has its value, however it is worded.
    is_fact &= ~table.slots.are_any(question.states)
    is_near = is_fact & (log_odds > _LOOKED_AT_FROM)
    is_near &= np.asarray(table.is_chinese == (question.language == "zh"))
    for place in np.flatnonzero(is_near):
        if not is_held(table.terms.text(int(place)), int(table.held[place])):
            part[place] = _WITHOUT_VALUE
    return part


def compute_health_part(table: CandidateTable, calibrated: CalibratedNearness) -> Floats:
    """Bonus of facts about health, as far as the question calls for them: log-odds, shape (n,)."""
    if not calibrated.care:
        return np.zeros(len(table))
    is_kept_so = np.array([not _HEALTH_SLOTS.isdisjoint(name.split(":")) for name in table.slots.names])
    health = np.maximum(calibrated.health, is_kept_so[table.slots.codes])
    return np.asarray(_HEALTH * calibrated.care * health * ~table.speakers.are(ASSISTANT))


def asks_who(question: Question, calibrated: CalibratedNearness) -> bool:
    """Return whether it asks who the user is or what is known of them, by its meaning, or by its form and less of it.

    The bounds are those of `calibrated.identity`, a mean cosine.
    """
    if question.states:
        return False
    closeness = calibrated.identity
    return closeness >= IDENTITY_SURE or (question.is_about_self and closeness >= IDENTITY_FROM)


def compute_profile_share(table: CandidateTable, calibrated: CalibratedNearness) -> Floats:
    """Compute how much each row says of who the user is: 0 to 1, shape (n,); NaN for what is no answer."""
    log_odds = _PROFILE_STEEP * (calibrated.profile - _PROFILE_MIDDLE)
    of_slot = np.array([_PROFILE_SLOTS.get(name.split(":")[0], 0.0) for name in table.slots.names])
    log_odds = log_odds + of_slot[table.slots.codes]
    log_odds = log_odds + np.where(table.kinds.are(MemoryKind.PREFERENCE.value), _PROFILE_PREFERENCE, 0.0)
    is_own = table.statements & table.speakers.are("") & np.isnan(table.valid_until)
    is_own &= table.kinds.are_any((MemoryKind.FACT.value, MemoryKind.PREFERENCE.value))
    return np.where(is_own, compute_logistic(log_odds), np.nan)


def _compute_reference_part(question: Question, table: CandidateTable) -> Parts:
    """A share of the weight for each of the question's references that a candidate contains."""
    if not question.references:
        return {}
    masks = [table.contains_phrase(reference) for reference in question.references]
    return {"reference": _REFERENCE * np.mean(masks, axis=0)}


def _compute_state_part(question: Question, table: CandidateTable) -> Floats:
    """Bonus of rows with the state asked for; if a former one is asked for, the present one is lowered."""
    is_asked = np.zeros(len(table), dtype=bool)
    for state in question.states:
        is_asked |= table.slots.are(state)
    is_over = ~np.isnan(table.valid_until)
    if question.time_target == TimeTarget.BEFORE and (is_asked & is_over).any():
        return np.where(is_asked, np.where(is_over, _STATE_ASKED, -_STATE_ASKED), 0.0)
    part = np.where(is_asked, _STATE_ASKED, 0.0)
    if JOB in question.states and not (is_asked & ~is_over).any():
        part += np.where(table.trades, _TRADE_ASKED, 0.0)
    return (
        part - np.where(table.of_acquaintances & ~is_asked, _OF_ACQUAINTANCE, 0.0)
        if question.states
        else part
    )


def _compute_nobody_part(question: Question, pool: Pool) -> Parts:
    if not question.is_of_nobody or not question.terms:
        return {}
    is_statement = pool.table.statements
    # Texts in different languages never share words.
    is_other = is_statement & ~pool.table.is_chinese & ~pool.matches.any(axis=1)
    return {"subject": _OF_NOBODY * is_other}


def are_here(table: CandidateTable, situation: Situation) -> Mask:
    """Mark the rows of the running conversation: shape (n,)."""
    here = situation.conversation
    return table.conversations.are(here) if here else np.zeros(len(table), dtype=bool)


def compute_recency_part(
    question: Question, table: CandidateTable, situation: Situation, is_answer: Mask
) -> Floats:
    """The recency part. `is_answer` marks rows whose other parts already pass the floor."""
    timestamps = np.where(np.isnan(table.event_times), table.said_at, table.event_times)
    recent = compute_recency(timestamps, situation.now.timestamp(), _HALF_AS_RECENT)
    plain = _RECENT * (recent - _NEUTRAL_AGE)
    counts = has_recency(table)
    if not question.wants_recent or not counts.any():
        return plain
    asked_for = counts & is_answer
    newest = recent[asked_for if asked_for.any() else counts].max()
    # Rows that are newer but no answers count as no more recent than the newest answer.
    return np.where(counts, _NEWEST + _RECENT_WANTED * np.log(np.minimum(1.0, recent / newest)), plain)


def has_recency(table: CandidateTable) -> Mask:
    """Mark rows whose age counts: not passages and skills, whose times are those of an upload."""
    return np.asarray(~(table.passages[0] | table.skills[0]))


def compute_logistic(log_odds: Floats) -> Floats:
    """Log-odds to probabilities, both of shape (n,); clipped, so that `exp` cannot overflow."""
    return np.asarray(1 / (1 + np.exp(-np.clip(log_odds, -30, 30))))
