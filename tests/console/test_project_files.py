"""What people look for in a project before they use it: a licence, whom to tell about a fault, what it runs with."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from django.core.exceptions import ImproperlyConfigured

from console.configuration import environment
from console.embedded.stack import Stack
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import LIMIT

LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==([^ \\]+)", re.MULTILINE)
LISTED = re.compile(r"^\| (\S+) \| (\S+) \| (.+) \|$", re.MULTILINE)


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_list_of_licences_names_every_locked_package_with_its_version() -> None:
    locked = {
        (canonical(name), version)
        for name, version in LOCKED.findall((PROJECT_ROOT / "requirements.txt").read_text())
    }
    rows = LISTED.findall((PROJECT_ROOT / "THIRD_PARTY_LICENCES.md").read_text())
    listed = {(canonical(name), version): licence for name, version, licence in rows if version != "Version"}
    listed = {
        key: licence for key, licence in listed.items() if not key[0].startswith("---") and key[0] != "-"
    }

    assert listed.keys() == locked
    assert not [key for key, licence in listed.items() if "UNKNOWN" in licence]
    # Packages that would put Engram itself under their own licence when it is passed on.
    assert not [key for key, licence in listed.items() if re.search(r"(?<!L)GPL|Affero", licence)]


def test_the_licence_and_how_to_report_a_fault_are_there() -> None:
    assert "Apache License" in (PROJECT_ROOT / "LICENSE").read_text()
    assert "/.well-known/security.txt" in (PROJECT_ROOT / "SECURITY.md").read_text()
    assert "make test" in (PROJECT_ROOT / "CONTRIBUTING.md").read_text()


def test_the_newest_release_of_the_changelog_is_the_version() -> None:
    project = tomllib.loads((PROJECT_ROOT / "pyproject.toml").read_text())["project"]
    releases = re.findall(
        r"^## \[(\d[\d.]*)\] - \d{4}-\d\d-\d\d$", (PROJECT_ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )

    assert releases[0] == project["version"]


def test_anyone_who_finds_a_fault_is_told_whom_to_write_to(stack: Stack) -> None:
    answer = httpx.get(f"{stack.url}/.well-known/security.txt", trust_env=False, verify=False, timeout=LIMIT)

    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == "mailto:security@localhost"
    assert fields["Canonical"].endswith("/.well-known/security.txt")
    until = datetime.strptime(fields["Expires"], "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert timedelta(days=30) < until - datetime.now(UTC) < timedelta(days=365)


@pytest.mark.parametrize("contact", ["security@example.org", "http://example.org", "mailto:a b@example.org"])
def test_an_operator_who_names_no_address_is_told_at_the_start(
    contact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECURITY_CONTACT", contact)
    with pytest.raises(ImproperlyConfigured, match="SECURITY_CONTACT"):
        environment.read_security_contact()
