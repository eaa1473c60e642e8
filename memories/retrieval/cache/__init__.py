"""Rows of cubes kept in the process between searches.

Without them a search takes ten times as long beside embedding its query and three times the processor, and misses the
bar of `benchmarks.search_overhead`: see its option `--cache 0`.
"""
