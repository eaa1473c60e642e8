"""Landlock: from a call on, this process and what it starts reach no file but the named ones, whatever its user may.

By three system calls, because no kept library offers them; https://docs.kernel.org/userspace-api/landlock.html
describes them. It works for every user and needs no set-up; kernels from 5.13 have it where it is not switched off.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

# The same on every machine.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION, _BENEATH_PATH = 1, 1

EXECUTE, _WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
# Bits that each version of the interface knows; a kernel refuses those that it does not know.
_FILE_RIGHTS = ((1, 13), (2, 14), (3, 15), (5, 16))
_NETWORK_VERSION, _ALL_OF_NETWORK = 4, 0b11  # TCP: bind, connect
_SCOPE_VERSION, _ALL_OF_SCOPE = 6, 0b11  # abstract sockets and signals of processes outside

_call = ctypes.CDLL(None, use_errno=True).syscall
_call.restype = ctypes.c_long


def restrict_to(readable: Iterable[str], executable: Iterable[str] = ()) -> None:
    """Files below `readable` may be read, those in `executable` read and run, all others not even opened; none is
    written, made or removed. What is open stays open. Paths that do not exist are passed over.

    Raises `OSError` where the kernel has no Landlock. The process must have given up new privileges before.
    """
    version = _check_result(_call(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION))
    rules = _create_ruleset(version)
    try:
        for path in readable:
            _add_rule(rules, path, READ_FILE | READ_FOLDER)
        for path in executable:
            _add_rule(rules, path, READ_FILE | EXECUTE)
        _check_result(_call(_RESTRICT_SELF, rules, 0))
    finally:
        os.close(rules)


def _create_ruleset(version: int) -> int:
    """Create a ruleset of everything that this version can forbid."""
    bits = max(bits for known_from, bits in _FILE_RIGHTS if known_from <= version)
    fields = [(1 << bits) - 1]
    if version >= _NETWORK_VERSION:
        fields.append(_ALL_OF_NETWORK)
    if version >= _SCOPE_VERSION:
        fields.append(_ALL_OF_SCOPE)
    packed = struct.pack(f"={len(fields)}Q", *fields)
    return _check_result(_call(_CREATE_RULESET, packed, ctypes.c_size_t(len(packed)), 0))


def _add_rule(rules: int, path: str, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return
    try:
        if not os.path.isdir(path):
            rights &= ~READ_FOLDER  # which the kernel refuses for anything else
        _check_result(_call(_ADD_RULE, rules, _BENEATH_PATH, struct.pack("=Qi", rights, place), 0))
    finally:
        os.close(place)


def _check_result(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
