"""`make bench`: every measurement in turn, each in a process of its own; then all figures in one file.

    python -m benchmarks [--quick] [NAME ...]

With --quick the sizes are small: it shows that the measurements work, not how fast Engram is.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

from benchmarks.support.report import RESULTS

# What is measured, and the small sizes of a quick run.
MEASUREMENTS = {
    "start_time": ["--times", "1"],
    "load_time": ["--times", "3"],
    "requests.command_start": ["--times", "5"],
    "idle_memory": ["--wait", "3"],
    "add_latency": ["--seconds", "5"],
    "search_overhead": ["--memories", "3000", "--queries", "50"],
    "requests.handler_cost": ["--calls", "40", "--times", "1"],
    "requests.interface_overhead": ["--memories", "3000", "--queries", "40", "--streams", "10"],
    "search.embedding": ["--queries", "30"],
    "search.prepared_search": ["--users", "4", "--own", "300"],
    "requests.quota_overhead": ["--calls", "40", "--processes", "2"],
    "requests.console_pages": ["--memories", "3000", "--rows", "20000", "--users", "200", "--times", "5"],
    "requests.usage_page": ["--rows", "20000", "--users", "200", "--times", "5"],
    "requests.upload_memory": ["--megabytes", "20"],
    "requests.session_reading": ["--large", "3", "--small", "300"],
    "requests.collector_pause": ["--times", "2"],
    "requests.flood_memory": ["--wait", "8", "--floods", "1"],
    "work.parsing": ["--pages", "10", "--longest", "30"],
    "work.knowledge_ingest": ["--pages", "5", "--times", "1"],
    "work.skill_zip": ["--times", "1"],
    "search.skill_search": ["--own", "300", "--skills", "10", "--queries", "30"],
    "search.knowledge_search": ["--small", "200", "--large", "6000", "--queries", "30"],
    "work.learning": ["--times", "1"],
    "work.claim_cost": ["--tasks", "2000", "--claims", "50"],
    "work.outage_calls": ["--messages", "2", "--seconds", "30"],
    "work.noisy_neighbour": ["--seconds", "10"],
    "talks_quality": ["--limit", "2"],
}

# As the table of the README names them.
NAMES = {name.rpartition(".")[2]: name for name in MEASUREMENTS}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small sizes")
    asked = parser.parse_args()
    unknown = set(asked.names) - NAMES.keys()
    if unknown:
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    names = [NAMES[name] for name in asked.names or NAMES]
    failed = [name for name in names if not _run(name, MEASUREMENTS[name] if asked.quick else [])]
    _gather([name for name in names if name not in failed])
    if failed:
        print(f"These did not come to their end: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _run(name: str, sizes: list[str]) -> bool:
    print(f"\n=== {name} ===", flush=True)
    return subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *sizes]).returncode == 0


def _gather(names: list[str]) -> None:
    results = {
        name: json.loads((RESULTS / f"local-{name.rpartition('.')[2]}.json").read_text()) for name in names
    }
    path = RESULTS / "local-all.json"
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    print(f"\nAll figures are in {path}.")


if __name__ == "__main__":
    sys.exit(main())
