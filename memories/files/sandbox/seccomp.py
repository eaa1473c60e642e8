"""seccomp: from a call on, the kernel refuses this process and what it starts the listed system calls.

What a parser needs is allowed, and what would let it out is not: network, other processes, new processes, changes of
files by their paths, keys, mounts, and interfaces of the kernel that had holes again and again. A refused call fails
with EPERM (ENOSYS where the C library then takes an older one, whose arguments can be looked at), so that a parser
that tries one can go on or fail like any program. By `prctl`, because no kept library offers it without a build;
https://docs.kernel.org/userspace-api/seccomp_filter.html describes it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Iterator

# Numbers of x86_64 and of aarch64; None where a machine has no such call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    # network
    "socket": (41, 198),
    "socketpair": (53, 199),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "accept": (43, 202),
    "accept4": (288, 242),
    "sendto": (44, 206),
    # other processes
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    # files by their paths
    "creat": (85, None),
    "truncate": (76, 45),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "link": (86, None),
    "linkat": (265, 37),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "mknod": (133, None),
    "mknodat": (259, 33),
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    # the system itself
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "personality": (135, 92),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "quotactl": (179, 60),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
}
# Refused too, unless another program is to be started.
_STARTING: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "execve": (59, 221),
    "execveat": (322, 281),
}
# Their arguments lie in memory, where a filter cannot look.
_NOT_THERE = {"clone3": (435, 435), "openat2": (437, 437)}
# Refused where one of these bits is set in that argument: to open for writing, the limits of another process, and a
# new process in namespaces of its own, in which it would be somebody else.
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_BY_ARGUMENT: dict[str, tuple[tuple[int | None, int | None], int, int]] = {
    "open": ((2, None), 1, _WRITING),
    "openat": ((257, 56), 2, _WRITING),
    "prlimit64": ((302, 261), 0, 0xFFFF_FFFF),
    "clone": ((56, 220), 0, 0x7E02_0000),
}
# By the machine's name: its place in the tables above, and what the kernel calls it in a filter.
_MACHINES = {"x86_64": (0, 0xC000_003E), "aarch64": (1, 0xC000_00B7)}
_OTHER_NUMBERS = 0x4000_0000  # from here on x86_64 has the same calls once more, with narrower pointers

_LOAD, _IF_EQUAL, _IF_AT_LEAST, _IF_ANY_BIT, _END = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _FAIL, _KILL = 0x7FFF_0000, 0x0005_0000, 0x8000_0000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16  # where a filter finds them
_SET_SECCOMP, _FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_char_p)]


def refuse_calls(*, may_start: bool = False) -> None:
    """`may_start`: other programs may be started, which are under the same rules.

    Raises `OSError` where the kernel has no seccomp, or the machine is none of those whose numbers are known here. The
    process must have given up new privileges before.
    """
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise OSError(errno.ENOSYS, f"the numbers of system calls of {machine} are not known")
    steps = list(_iterate_steps(*_MACHINES[machine], may_start))
    program = _Program(len(steps), b"".join(steps))
    if ctypes.CDLL(None, use_errno=True).prctl(_SET_SECCOMP, _FILTER, ctypes.byref(program), 0, 0):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _iterate_steps(place: int, machine: int, may_start: bool) -> Iterator[bytes]:
    yield from (_pack_step(_LOAD, _MACHINE), _pack_step(_IF_EQUAL, machine, 1, 0), _pack_step(_END, _KILL))
    yield from (
        _pack_step(_LOAD, _NUMBER),
        _pack_step(_IF_AT_LEAST, _OTHER_NUMBERS, 0, 1),
        _pack_step(_END, _KILL),
    )
    for table, failure in (
        (_REFUSED if may_start else _REFUSED | _STARTING, errno.EPERM),
        (_NOT_THERE, errno.ENOSYS),
    ):
        for numbers in table.values():
            if (number := numbers[place]) is not None:
                yield from (_pack_step(_IF_EQUAL, number, 0, 1), _pack_step(_END, _FAIL | failure))
    for numbers, argument, bits in _BY_ARGUMENT.values():
        if (number := numbers[place]) is not None:
            yield from (_pack_step(_IF_EQUAL, number, 0, 4), _pack_step(_LOAD, _ARGUMENTS + 8 * argument))
            yield from (
                _pack_step(_IF_ANY_BIT, bits, 0, 1),
                _pack_step(_END, _FAIL | errno.EPERM),
                _pack_step(_END, _ALLOW),
            )
    yield _pack_step(_END, _ALLOW)


def _pack_step(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_so, if_not, value)
