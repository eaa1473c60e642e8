"""The packages of clients/ and cli/ can be built, installed and used without anything of the server."""

from __future__ import annotations

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def build_wheel(folder: str, target: Path) -> Path:
    """Build without a network: the build backend is a development package."""
    code = f"from flit_core.buildapi import build_wheel; print(build_wheel({str(target)!r}))"
    built = subprocess.run([sys.executable, "-c", code], cwd=ROOT / folder, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return target / built.stdout.split()[-1]


def test_the_python_client_is_usable_from_its_wheel(tmp_path: Path) -> None:
    wheel = build_wheel("clients/python", tmp_path)
    code = "import sys, engram_client; print(engram_client.__version__, 'django' in sys.modules)"
    environment = {"PYTHONPATH": str(wheel)}

    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True
    )

    assert ran.stdout.split() == ["0.2.0", "False"], ran.stderr
    with zipfile.ZipFile(wheel) as archive:
        assert any(name.endswith("py.typed") for name in archive.namelist())


@pytest.mark.parametrize("folder", ["clients/python", "cli"])
def test_version_is_the_same_everywhere(folder: str) -> None:
    project = tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]

    assert project["version"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_command_runs_from_its_wheel(tmp_path: Path) -> None:
    wheels = [build_wheel(folder, tmp_path) for folder in ("clients/python", "cli")]
    code = "import sys; sys.argv[1:] = ['--version']; from engram_cli.main import run; run()"
    environment = {"PYTHONPATH": ":".join(map(str, wheels))}

    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True
    )

    assert ran.stdout == "engram 0.2.0\n", ran.stderr
    with zipfile.ZipFile(wheels[1]) as archive:
        points = next(name for name in archive.namelist() if name.endswith("entry_points.txt"))
        assert "engram=engram_cli.main:run" in archive.read(points).decode()


@pytest.mark.parametrize("arguments", [["--help"], ["search", "x"]])
def test_help_and_wrong_use_load_neither_http_nor_tables(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys\nfrom engram_cli.main import run\nsys.argv[1:] = sys.argv[1:]\ntry:\n    run()\n"
        "except SystemExit:\n    pass\nprint(sorted({'httpx', 'rich', 'django'} & set(sys.modules)), file=sys.stderr)"
    )
    environment = {"PYTHONPATH": f"{ROOT / 'clients/python'}:{ROOT / 'cli'}", "HOME": str(tmp_path)}

    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], env=environment, capture_output=True, text=True
    )

    assert ran.stderr.splitlines()[-1] == "[]", ran.stderr
