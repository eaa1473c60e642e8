"""Made-up passages of company documents and questions about them: the n-th is the same in every run."""

from __future__ import annotations

from benchmarks.support.sentences import CITIES, MONTHS, NAMES, REASONS, THINGS

DEPARTMENTS = [
    *"Finance Legal Design Sales Support Research Logistics Security Marketing Training".split(),
    "Human Resources",
    "Quality Assurance",
    "Field Operations",
]
SUBJECTS = [
    *"travel software overtime parking visitors insurance recruiting translation catering".split(),
    "remote work",
    "data retention",
    "laptop repair",
    "business cards",
    "annual leave",
    "supplier audits",
    "office keys",
    "expense claims",
]
VERBS = "approves refuses records checks forwards archives signs returns publishes".split()
PLACES = ["the intranet", "the front desk", "the shared drive", "the ticket system", "the regional office"]
_SENTENCES = (
    "Requests about {subject} go to {department} before the {day}th of {month} and need the consent of {name}.",
    "The limit for {subject} is {amount} euros a year; {department} {verb} whatever goes beyond it.",
    "Anyone who borrows a {thing} for {city} signs form {form} at {place}, {reason}.",
    "{name} of {department} {verb} every request from {city} within {day} working days.",
    "Since {month} {year} the rules on {subject} also hold for partners in {city}.",
    "Questions are answered by {department} through {place}; the reference is {form}.",
    "A {thing} that is worth more than {amount} euros is entered in {place} by {name}.",
    "In {month} the report on {subject} goes to {department}, which {verb} it in {city}.",
)
_QUESTIONS = (
    "What is the limit for {subject} that {department} looks after?",
    "Who of {department} decides about requests from {city}?",
    "Which form is signed for a {thing} in {city}?",
    "Until when in {month} must a request about {subject} be filed?",
    "Since when do the rules on {subject} hold for partners in {city}?",
    "Where is a {thing} entered that is worth more than {amount} euros?",
)


def title(number: int) -> str:
    return _filled("{department} handbook / {subject} / section {section}", number)


def passage(number: int) -> str:
    """Four or five sentences under their heading."""
    chosen = [
        _SENTENCES[(number * 5 + at * (1 + number % 3)) % len(_SENTENCES)] for at in range(4 + number % 2)
    ]
    body = " ".join(_filled(form, number * 7 + at * 13) for at, form in enumerate(chosen))
    return f"{title(number)}\n\n{body}"


def code(number: int) -> str:
    """What only this passage says."""
    return f"QX-{number:06d}"


def question(number: int) -> str:
    return _filled(_QUESTIONS[number % len(_QUESTIONS)], number * 11)


_WORDS: dict[str, list[str]] = {
    "subject": SUBJECTS,
    "department": DEPARTMENTS,
    "city": list(CITIES),
    "name": list(NAMES),
    "month": list(MONTHS),
    "thing": THINGS,
    "verb": VERBS,
    "place": PLACES,
    "reason": REASONS,
}


def _filled(form: str, number: int) -> str:
    """Each word list is one digit of the number, so that neighbours differ in several words."""
    rest = number * 2_654_435_761 % 2**32
    words: dict[str, str | int] = {"year": 2015 + rest % 11, "day": 2 + rest % 27, "section": 1 + rest % 40}
    words |= {"amount": 50 * (1 + rest % 60), "form": f"{10 + rest % 80}-{'ABCDEFGH'[rest % 8]}"}
    for name, choices in _WORDS.items():
        rest, at = divmod(rest, len(choices))
        words[name] = choices[at]
        rest += number
    return form.format(**words)
