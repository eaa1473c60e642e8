"""What a child process that reads files of strangers may use, and how much of its output is taken."""

from __future__ import annotations

import resource

from memories.files.values import Purpose

# Bytes of addresses, of which a process never fills all: of a child, and of the one that parses.
MEMORY, PARSER_MEMORY = 1024**3, 512 * 1024**2
LIMITS = {
    resource.RLIMIT_CPU: 60,
    resource.RLIMIT_FSIZE: 256 * 1024**2,
    resource.RLIMIT_NOFILE: 64,
    resource.RLIMIT_CORE: 0,
}

# A document of a knowledge base may take longer than what was shared in passing, but less than the two minutes after
# which Celery kills a run without a reason that could be shown.
WALL_CLOCK_SECONDS = {Purpose.MESSAGE: 60.0, Purpose.KNOWLEDGE: 95.0}
MAX_OUTPUT = 20 * 1024 * 1024
MAX_FRAGMENT, MAX_HEADING, MAX_CONTEXT = 4_000, 300, 1_000
