"""Signals of memories for the apps above it. Sent with `send_robust` where nothing else is said;
receivers only notify or broadcast.
"""

from django.dispatch import Signal

# Sent after commit when a task reached its end or changed its stage. project_id, task_id, kind, status.
task_changed = Signal()

# Sent after commit when a conversation's turns have become memories. project_id, conversation_id, memory_ids.
conversation_refined = Signal()

# Sent after commit when memories were made, changed or deleted. project_id, operation, memory_ids.
memories_changed = Signal()

# Sent inside the transaction that changes a knowledge base, by plain `send`: what a receiver cannot write down is not
# done. cube_id, changes (of `history.BaseChange`), cause (`history.Cause`).
base_changed = Signal()

# Sent inside the transaction that writes what a conversation's messages say, by plain `send`: what a receiver cannot
# write down is not done. cube, conversation_id, messages (the new ones), task_id.
talk_written = Signal()

# Sent inside the transaction that applies a feedback, by plain `send`. cube, task_id.
feedback_written = Signal()

# Sent inside the transaction that deletes memories or moves them to the trash, before it does, by plain `send`.
# project_id, memory_ids.
memories_pre_delete = Signal()

# Sent inside the transaction that deletes a subject, before its words go. project_id, cube_id, subject.
subject_erased = Signal()
