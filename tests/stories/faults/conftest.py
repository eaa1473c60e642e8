"""An installation of these tests' own: the others' tests need theirs whole."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from console.embedded.stack import Stack
from tests.support.installations import model_at, own_stack
from tests.support.servers.model_server import completion
from tests.support.skills.reading_model import Scripted


@pytest.fixture(scope="package")
def model() -> Iterator[Scripted]:
    """It does what a test has it do, and nothing else: the rules read and learn in its place."""
    running = Scripted(otherwise=completion("I would rather talk."))
    yield running
    running.close()


@pytest.fixture(scope="package")
def own(model: Scripted, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with own_stack(tmp_path_factory.mktemp("faults"), **model_at(model.url)) as stack:
        yield stack
