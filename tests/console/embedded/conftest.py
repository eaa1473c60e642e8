"""An installation of these tests' own, whose processes may be stopped, frozen and read from."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from console.embedded.stack import Stack
from tests.support.installations import own_stack


@pytest.fixture(scope="package")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with own_stack(tmp_path_factory.mktemp("own"), DRAIN_SECONDS="4", WEB_HUNG_SECONDS="12") as stack:
        yield stack
