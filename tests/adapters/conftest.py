"""The Python that has the frameworks."""

from __future__ import annotations

import pytest

from tests.support.adapters.environment import find_environment


@pytest.fixture(scope="session")
def python() -> str:
    return find_environment()


@pytest.fixture(scope="session")
def crewai() -> str:
    """The Python that has CrewAI."""
    return find_environment("crewai")
