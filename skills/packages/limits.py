"""How large a skill package may be, and how long and deep its paths.

Imports nothing, for the child process that unpacks reads it too.
"""

MB = 1024 * 1024
MAX_SKILL_MD = 100 * 1024
# As it comes, then each of its files and all of them unpacked.
MAX_ZIP, MAX_FILE, MAX_TOTAL = 20 * MB, 10 * MB, 200 * MB
MAX_FILES, MAX_PATH, MAX_LEVELS = 200, 255, 10
