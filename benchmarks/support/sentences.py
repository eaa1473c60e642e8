"""Made-up statements and questions, all different: the n-th is the same in every run."""

from __future__ import annotations

from collections.abc import Sequence

NAMES = (
    "Anna Boris Clara David Elena Felix Grace Henry Irene Jacob Karim Laura Mateo Nadia Oscar Petra".split()
)
CITIES = (
    "Lisbon Vienna Oslo Kyoto Toronto Lagos Lima Dublin Prague Hanoi Cairo Perth Quito Ghent Turin".split()
)
THINGS = [
    *"bicycle violin camera kayak telescope sofa laptop carpet drone guitar lamp tent".split(),
    "coffee machine",
    "winter coat",
    "chess board",
    "sewing machine",
]
DISHES = (
    "risotto ramen paella curry dumplings lasagne pho tacos falafel goulash sushi pancakes pierogi".split()
)
MONTHS = "January February March April May June July August September October November December".split()
REASONS = [
    "because the old one broke",
    "after thinking about it for weeks",
    "on the advice of a colleague",
    "to surprise the family",
    "since the price had gone down",
    "for a course that starts soon",
    "instead of going away for the weekend",
]
_STATEMENTS = (
    "bought a {thing} in {city} in {month} {year} with {name}, {reason}.",
    "went to {city} with {name} in {month} {year} and tried {dish} there, {reason}.",
    "is going to sell the {thing} to {name} from {city} before {month} {year}, {reason}.",
    "cooked {dish} for {name} after the trip to {city} in {month} {year}, {reason}.",
    "met {name} at a conference in {city} in {month} {year} and talked about a {thing}, {reason}.",
    "repaired the {thing} that {name} had brought from {city} in {month} {year}, {reason}.",
    "told {name} about a job in {city} that begins in {month} {year}, {reason}.",
    "learnt to make {dish} from {name}, who grew up in {city}, in {month} {year}, {reason}.",
)
_QUESTIONS = (
    "What did the user and {name} buy in {city} in {month} {year}, a {thing}?",
    "Who was with the user in {city} in {month} {year} when they tried {dish}?",
    "To whom in {city} will the {thing} be sold before {month} {year}?",
    "What did {name} say about {dish} after the trip to {city} in {month} {year}?",
    "Where did the user meet {name} in {month} {year} to talk about a {thing}?",
    "Which {thing} did {name} bring from {city} in {month} {year}?",
    "When in {year} does the job in {city} that {name} heard about in {month} begin?",
    "Who taught the user to make {dish} in {city} in {month} {year}?",
)


def statement(number: int, subject: str = "The user") -> str:
    return f"{subject} {_filled(_STATEMENTS, number)}"


def question(number: int) -> str:
    return _filled(_QUESTIONS, number)


def _filled(forms: Sequence[str], number: int) -> str:
    """Each word list is one digit of the number, so that neighbours differ in several words."""
    form, rest = forms[number % len(forms)], number // len(forms) + number
    words: dict[str, str | int] = {"year": 2015 + number % 11}
    for name, choices in _WORDS.items():
        rest, at = divmod(rest, len(choices))
        words[name] = choices[(at + number) % len(choices)]
    return form.format(**words)


_WORDS = {
    "thing": THINGS,
    "city": CITIES,
    "dish": DISHES,
    "name": NAMES,
    "month": MONTHS,
    "reason": REASONS,
}
