"""Signals that other apps may receive."""

from django.dispatch import Signal

# Sent after commit, with `send_robust`, when a file changed its state or got on. base_id (the public one), file_id,
# project_ids (whom the base is granted to), state, done, total (of its fragments).
file_changed = Signal()
