"""The secrets of an installation, as a backup keeps them: their values, or only fingerprints to compare with."""

from __future__ import annotations

from collections.abc import Mapping

from console.configuration import environment
from console.data.backup.values import BackupRefused
from console.embedded.preparation.same_secrets import compute_fingerprint

_LOST = {
    "SECRET_KEY": "everybody is signed out, links in mails end, and no second factor can be read",
    "KEY_PEPPERS": "no API key of the backup is recognised",
    "ENCRYPTION_KEYS": "no kept key of a model provider can be read",
}


def compute_fingerprints(name: str, salt: bytes) -> list[str]:
    """One for each value of a variable, which may be a list."""
    return [compute_fingerprint(value, salt) for value in environment.read_lines(name)]


def require_same(wanted: Mapping[str, list[str]], salt: bytes) -> None:
    """Raises `BackupRefused` when this process's environment lacks a secret that the backup's installation had."""
    for name, fingerprints in wanted.items():
        if not set(fingerprints) <= set(compute_fingerprints(name, salt)):
            lost = _LOST.get(name, "the restored installation would not be the same")
            raise BackupRefused(f"{name} is not what it was when the backup was made. Without it {lost}.")
