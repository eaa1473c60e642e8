"""Mask the contacts of persons in methods: everybody in the space uses its skills."""

from __future__ import annotations

import re

from memories.text.secrets import HIDDEN

_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")
# Phones, cards, accounts: in groups, or longer than amounts are. Days, hours and spans are shorter.
_NUMBER = re.compile(
    r"""
    (?<![A-Za-z0-9_.:/-])(?:
        \+\d[\d ()-]{7,20}\d | \(?0[\d ()-]{7,20}\d | \d{2,6}(?:[ -]\d{2,8}){1,5} | \d{9,20}
    )(?![A-Za-z0-9_:/])
    """,
    re.VERBOSE,
)
_LEAST_DIGITS = 9
# Passports, insurance numbers, accounts, postcodes.
_OF_PAPERS = re.compile(
    r"""
    \b(?:
        [A-Z]{1,2}\d{6,9}[A-Z]? | [A-Z]{2}\d\d(?:\ ?[A-Z0-9]{4}){3,7}(?:\ [A-Z0-9]{1,3})?
        | [A-Z]{1,2}\d[A-Z\d]?\ \d[A-Z]{2}
    )\b
    """,
    re.VERBOSE,
)
_NAME_ZH = "(?:(?![在住是到去从往寄送])[\u4e00-\u9fff])"
_STREET = re.compile(
    r"\b\d{1,4}[a-z]? (?:[A-Z][a-z]{1,20} ){1,3}"
    r"(?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Close|Way|Court|Square|Place|Terrace|Crescent|Boulevard|Blvd)\b"
    rf"|(?:{_NAME_ZH}{{2,3}}[省市区县镇]){{0,3}}{_NAME_ZH}{{2,4}}(?:路|街|巷|弄|胡同|大道)\d{{1,5}}号"
    r"(?:\d{1,4}(?:号楼|栋|幢|单元|室|楼)){0,3}"
)


def mask_contacts(text: str) -> str:
    """The text without mail and postal addresses, and without numbers by which a person is called or known."""
    for pattern in (_MAIL, _STREET, _OF_PAPERS):
        text = pattern.sub(HIDDEN, text)
    return _NUMBER.sub(_mask_number, text)


def _mask_number(match: re.Match[str]) -> str:
    return HIDDEN if sum(map(str.isdigit, match[0])) >= _LEAST_DIGITS else match[0]
