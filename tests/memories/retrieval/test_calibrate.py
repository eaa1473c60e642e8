"""An operator calibrates another embedding model than the default one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from console.embedded.stack import Stack
from memories.engine.calibration.labelled import digest_labelled
from memories.engine.calibration.model import load_calibration
from memories.text.words.tokenize import extract_keywords
from tests.support.project import PROJECT_ROOT
from tests.support.servers.model_server import ModelServer, Reply, embeddings
from tests.support.servers.own_embedder import embedding_by

WIDTH = 24


def by_words(text: str) -> list[float]:
    """A small embedding: texts with words in common lie close together."""
    vector = [0.1] * WIDTH
    for word in extract_keywords(text):
        vector[crc32(word.encode()) % WIDTH] += 1.0
    return vector


@pytest.fixture
def provider() -> Iterator[ModelServer]:
    server = ModelServer(embeddings(by_words))
    yield server
    server.close()


def calibrate(stack: Stack, provider: ModelServer, folder: Path) -> subprocess.CompletedProcess[str]:
    """The command, in a terminal of its own."""
    remote = {
        "EMBEDDING_ENGINE": "remote",
        "EMBEDDING_BASE_URL": provider.url,
        "EMBEDDING_MODEL": "by/words",
        "EMBEDDING_DIMENSIONS": str(WIDTH),
        "CALIBRATION_FOLDER": str(folder),
        "OMP_NUM_THREADS": "1",  # two wait for each other, and a core is busy with waiting
    }
    return subprocess.run(
        [sys.executable, "manage.py", "calibrate"],
        cwd=PROJECT_ROOT,
        env={**os.environ, **stack.environment, **remote},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_a_calibrated_model_has_a_file_of_its_name_that_searches_read(
    stack: Stack, provider: ModelServer, tmp_path: Path
) -> None:

    done = calibrate(stack, provider, tmp_path)

    assert done.returncode == 0, done.stderr
    assert "On people held out, with by/words:" in done.stdout
    assert f"Written to {tmp_path / 'by-words.npz'}. Restart web and worker processes." in done.stdout
    with override_settings(CALIBRATION_FOLDER=str(tmp_path)):
        calibration = load_calibration("by/words")
    assert calibration is not None
    assert (calibration.engine, calibration.labelled) == ("by/words", digest_labelled())
    assert calibration.into.shape[0] == WIDTH
    # The fit puts the border where most answers lie above it, whatever the model.
    assert all(value > 0.6 for name, value in calibration.figures.items() if name.endswith("answers found"))
    for name, value in calibration.figures.items():
        assert f"  {name}: {value:.3f}" in done.stdout


def refuse(provider: ModelServer, **options: object) -> str:
    """Why the command writes nothing, asked in this process."""
    with embedding_by(provider, WIDTH), pytest.raises(CommandError) as refused:
        call_command("calibrate", **options)
    return str(refused.value)


def test_the_file_of_the_default_model_is_not_written_for_another_one(provider: ModelServer) -> None:
    assert "--shipped is for the default model only" in refuse(provider, shipped=True)
    assert provider.asked == []


def test_a_model_that_does_not_answer_is_named_and_nothing_is_written(
    provider: ModelServer, tmp_path: Path
) -> None:
    provider.answer = lambda body: Reply(401)

    assert "tiny did not answer" in refuse(provider, output=tmp_path / "tiny.npz")
    assert list(tmp_path.iterdir()) == []
