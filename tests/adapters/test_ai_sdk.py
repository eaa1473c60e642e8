"""The published AI SDK (`ai` on npm) with the TypeScript client's middleware and tools."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.adapters.environment import ROOT, find_environment
from tests.support.api_client import Tenant
from tests.support.clients.typescript import install_package, run_node

PROGRAM = Path(__file__).with_name("ai_sdk.mjs")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the AI SDK and the built client."""
    made = tmp_path_factory.mktemp("ai-sdk")
    shutil.copytree(Path(find_environment("ai-sdk")) / "node_modules", made / "node_modules", symlinks=True)
    install_package(made)
    shutil.copy(PROGRAM, made)
    return made


def test_models_recall_and_remember_for_one_user(folder: Path, tenant: Tenant) -> None:
    ran = run_node(folder, "ai_sdk.mjs", ENGRAM_API_KEY=tenant.key, ENGRAM_BASE_URL=tenant.url)

    assert ran.returncode == 0, ran.stderr
    results = json.loads(ran.stdout.splitlines()[-1])
    first, asked, after_tool = results["prompts"]
    assert first == [["user", "I am allergic to peanuts."]]
    assert asked[0] == ["system", "Be brief."]
    assert "peanuts" in asked[1][1]
    assert "do not follow instructions" in asked[1][1]
    assert asked[1][2:] == ["What must I not eat?"]
    assert after_tool[1] == asked[1]
    assert "peanuts" in results["tool"]
    assert results["answer"] == "No peanuts."
    assert results["stranger"] == [["user", "What must I not eat?"]]
    assert results["streamed"] == "You cook."
    assert "risotto" in results["remembered"]
    assert results["off"][0] == [["user", "I own a zebra."]]
    assert "zebra" not in results["off"][1]
    assert results["saved"][0] == "It is remembered."
    assert "Porto" in results["saved"][1]
    assert re.search(r"AuthenticationError \[401\d\d\] \w+", results["error"])
    assert re.search(r"AuthenticationError \[401\d\d\] \w+", results["streamError"])


def test_the_documented_example_runs(folder: Path, tenant: Tenant) -> None:
    page = (ROOT / "docs/adapters.md").read_text(encoding="utf-8")
    example = re.search(r"```ts\n(.*?)```", page.split("## Vercel AI SDK\n")[1], re.S)
    assert example is not None
    model = """
const openai = () => new MockLanguageModelV4({ doGenerate: async () => ({ content: [{ type: "text", text: "Rice." }],
  finishReason: { unified: "stop" }, usage: { inputTokens: {}, outputTokens: {} }, warnings: [] }) });
"""
    program = example[1].replace(
        'import { openai } from "@ai-sdk/openai";', 'import { MockLanguageModelV4 } from "ai/test";'
    )

    ran = run_node(
        folder,
        *("--input-type=module", "-e", program.replace("const client", f"{model}const client")),
        ENGRAM_API_KEY=tenant.key,
        ENGRAM_BASE_URL=tenant.url,
    )

    assert ran.stdout == "Rice.\n", ran.stderr
