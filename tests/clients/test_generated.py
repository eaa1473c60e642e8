"""What of the clients follows from the API's description is generated anew when that changes."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from console.http.openapi.serving import build_description

GENERATOR = Path(__file__).resolve().parents[2] / "clients" / "generate.py"


def generated_files() -> Mapping[Path, str]:
    described: dict[str, Any] = build_description()
    files: Mapping[Path, str] = runpy.run_path(str(GENERATOR))["generated"](described)
    return files


@pytest.mark.parametrize("name", ["options.py", "types.py", "client.py", "types.ts"])
def test_generated_files_are_current(name: str) -> None:
    path, content = next(item for item in generated_files().items() if item[0].name == name)

    assert path.read_text(encoding="utf-8") == content, "run `make clients`"
