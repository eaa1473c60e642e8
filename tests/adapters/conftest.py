"""The Python that has the frameworks."""

from __future__ import annotations

import pytest

from tests.support.adapters.environment import find_python


@pytest.fixture(scope="session")
def python() -> str:
    return find_python()
