"""What a skill package may be, and what happens to one that may not."""

from __future__ import annotations

import math
import zipfile

import pytest

from skills.packages.limits import MAX_FILE, MAX_SKILL_MD
from skills.packages.package import PackageRefused
from tests.support.skills.packages import (
    SKILL_MD,
    build_package,
    encrypted,
    link,
    lying,
    opening,
    overlapping,
    twice,
    zipped,
)

PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


def test_a_package_is_read_with_its_files_and_its_sections() -> None:
    content = build_package(
        {"scripts/check.py": "print(1)", "assets/flow.png": PNG, "references/policy.md": "# P"}
    )

    with opening(content) as package:
        files = {file.path: (file.mime, file.text()) for file in package.files}
        pictures = [file.read() for file in package.files if file.path.endswith(".png")]

    assert [*files] == ["SKILL.md", "assets/flow.png", "references/policy.md", "scripts/check.py"]
    assert files["scripts/check.py"] == ("text/x-python", "print(1)")
    assert files["assets/flow.png"] == ("image/png", None)
    assert pictures == [PNG]
    value = package.skill.value
    assert (value["name"], package.skill.name) == ("Customer Return Processing", "Customer-Return-Processing")
    assert value["procedure"].splitlines() == ["1. Check the order number", "2. Offer pickup first"]
    assert value["experience"] == ["Fresh food is not taken back"]
    assert value["preference"] == ["Refund to the card that paid"]
    assert value["examples"][0].startswith("### A pair of headphones")


def test_a_single_skill_md_is_a_package_too() -> None:
    with opening(SKILL_MD.encode(), is_zip=False) as package:
        assert [file.path for file in package.files] == ["SKILL.md"]


def test_dates_in_the_front_matter_are_texts() -> None:
    front = "---\nname: a\ndescription: b\nupdated: 2026-01-31\nat: 2026-01-31 10:00:00\n---\n"

    with opening(zipped({"SKILL.md": front})) as package:
        assert package.skill.extra == {"updated": "2026-01-31", "at": "2026-01-31 10:00:00"}


def test_numbers_to_another_base_than_ten_in_the_front_matter_are_texts() -> None:
    front = "---\nname: a\ndescription: b\ncolour: 0xff\nmode: 0644\nat: 12:30:00\nlevel: -1_000\nmost: .inf\n---\n"

    with opening(zipped({"SKILL.md": front})) as package:
        assert package.skill.extra == {
            "colour": "0xff",
            "mode": "0644",
            "at": "12:30:00",
            "level": -1000,
            "most": math.inf,
        }


def test_what_systems_put_beside_the_files_is_neither_kept_nor_counted() -> None:
    junk: dict[str, str | bytes] = {f"__MACOSX/{number}": "" for number in range(150)}
    files: dict[str, str | bytes] = {f"{number}.txt": "x" for number in range(199)}

    with opening(build_package(junk | files | {".DS_Store": "", "a/._b": ""})) as package:
        assert len(package.files) == 200


def test_one_folder_around_everything_is_cut_off_where_that_is_allowed() -> None:
    content = zipped({"returns/SKILL.md": SKILL_MD, "returns/a.txt": "a"})

    with opening(content, in_folder=True) as package:
        assert [file.path for file in package.files] == ["SKILL.md", "a.txt"]
    with pytest.raises(PackageRefused, match="first level"), opening(content):
        pass


REFUSED: dict[str, tuple[bytes, str, str]] = {
    "rar": (b"Rar!\x1a\x07\x01\x00" + b"x" * 50, "standard ZIP", ""),
    "7z": (b"7z\xbc\xaf\x27\x1c" + b"x" * 50, "standard ZIP", ""),
    "text": (b"hello", "standard ZIP", ""),
    "something before the archive": (b"#!/bin/sh\n" + build_package({}), "begins with its first file", ""),
    "something after the archive": (build_package({}) + b"x", "fit together", ""),
    "cut off": (build_package({"a.txt": "a"})[:-30], "damaged", ""),
    "encrypted": (encrypted(), "encrypted", "SKILL.md"),
    "packed by another method": (
        zipped({"SKILL.md": SKILL_MD}, zipfile.ZIP_BZIP2),
        "stored or deflated",
        "SKILL.md",
    ),
    "a link": (link("a", "/etc/passwd"), "links", "a"),
    "climbing": (build_package({"../a": "a"}), "leave out `..`", "../a"),
    "climbing inside": (build_package({"a/../b": "a"}), "leave out `..`", "a/../b"),
    "absolute": (build_package({"/etc/a": "a"}), "relative", "/etc/a"),
    "a drive": (build_package({"C:/a": "a"}), "relative", "C:/a"),
    "backslashes": (build_package({"a\\b": "a"}), "backslash", "a\\b"),
    "control characters": (build_package({"a\x1bb": "a"}), "control", "a?b"),
    "a path that is too long": (build_package({"a" * 256: "a"}), "255 bytes", "a" * 255),
    "too deep": (build_package({"a/" * 10 + "b": "a"}), "10 levels", "a/" * 10 + "b"),
    "the same path in another case": (build_package({"A.txt": "a", "a.TXT": "b"}), "same path", "a.TXT"),
    "the same path twice": (twice("a.txt"), "same path", "a.txt"),
    "a key that is a list": (zipped({"SKILL.md": "---\n? [a]\n: b\nname: x\n---\n"}), "YAML", "SKILL.md"),
    "a file that is a folder": (build_package({"a": "a", "a/b": "b"}), "file and a folder", "a/b"),
    "201 files": (build_package({f"{number}": "x" for number in range(200)}), "200 files", ""),
    "a byte too much": (build_package({"big": b"0" * (MAX_FILE + 1)}), "10 MB", "big"),
    "a size that lies": (lying(60_000, 10), "damaged", ""),
    "bytes that are shared": (overlapping(150, 9_000_000), "share their bytes", "bom00"),
    "a SKILL.md that is too long": (
        zipped({"SKILL.md": SKILL_MD + "x" * MAX_SKILL_MD}),
        "100 KB",
        "SKILL.md",
    ),
    "no SKILL.md": (zipped({"README.md": "x"}), "first level", ""),
    "SKILL.md in a folder": (zipped({"a/SKILL.md": SKILL_MD, "b": "b"}), "first level", "a/SKILL.md"),
    "SKILL.md that is no text": (zipped({"SKILL.md": PNG}), "UTF-8", "SKILL.md"),
    "a sign in the name that no text has": (
        zipped({"SKILL.md": '---\nname: "a\\0b"\ndescription: x\n---\n'}),
        "`name` holds a sign",
        "SKILL.md",
    ),
    "half a character in the description": (
        zipped({"SKILL.md": '---\nname: a\ndescription: "b\\ud800"\n---\n'}),
        "`description` holds a sign",
        "SKILL.md",
    ),
    "a sign in the text that no text has": (
        zipped({"SKILL.md": "---\nname: a\ndescription: b\n---\nx\0y\n"}),
        "sign that no text has",
        "SKILL.md",
    ),
    "half a character in another field": (
        zipped({"SKILL.md": '---\nname: a\ndescription: b\nversion: ["\\ud800"]\n---\n'}),
        "sign that no text has",
        "SKILL.md",
    ),
    "a character beyond the last": (
        zipped({"SKILL.md": '---\nname: a\ndescription: "\\UFFFFFFFF"\n---\n'}),
        "not valid YAML",
        "SKILL.md",
    ),
    "no name": (zipped({"SKILL.md": "---\ndescription: x\n---\n"}), "no `name`", "SKILL.md"),
    "a blank description": (
        zipped({"SKILL.md": "---\nname: x\ndescription: ' '\n---\n"}),
        "`description`",
        "SKILL.md",
    ),
    "a name that is a number": (
        zipped({"SKILL.md": "---\nname: 1\ndescription: x\n---\n"}),
        "no `name`",
        "SKILL.md",
    ),
    "front matter that never ends": (zipped({"SKILL.md": "---\nname: x\n"}), "not closed", "SKILL.md"),
    "broken YAML": (zipped({"SKILL.md": "---\nname: [\n---\n"}), "not valid YAML", "SKILL.md"),
    "a number of 5,000 digits": (
        zipped({"SKILL.md": f"---\nname: a\ndescription: b\nx: {'9' * 5_000}\n---\n"}),
        "not valid YAML",
        "SKILL.md",
    ),
    "a list for a mapping": (zipped({"SKILL.md": "---\n- a\n---\n"}), "`name: value`", "SKILL.md"),
    "YAML aliases": (
        zipped({"SKILL.md": "---\na: &a [x]\nb: &b [*a, *a]\nname: x\ndescription: y\n---\n"}),
        "aliases",
        "SKILL.md",
    ),
    "YAML tags": (
        zipped({"SKILL.md": "---\nname: !!python/object/apply:os.getcwd []\ndescription: y\n---\n"}),
        "tags",
        "SKILL.md",
    ),
    "a key twice": (zipped({"SKILL.md": "---\nname: x\nname: y\ndescription: z\n---\n"}), "YAML", "SKILL.md"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_package_that_breaks_a_rule_is_refused_by_its_name_and_path(case: str) -> None:
    content, rule, path = REFUSED[case]

    with pytest.raises(PackageRefused) as refusal, opening(content):
        pass

    assert rule in refusal.value.rule
    assert refusal.value.path == path
    assert (refusal.value.code, refusal.value.status) == (50107, 400)


def test_an_archive_inside_a_package_stays_closed() -> None:
    inner = zipped({"../../evil": "x"})

    with opening(build_package({"inner.zip": inner})) as package:
        (file,) = [file for file in package.files if file.path == "inner.zip"]
        assert file.read() == inner
