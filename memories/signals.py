"""What memories tell the apps that know more. Sent with `send_robust`; receivers only ring or broadcast."""

from django.dispatch import Signal

# Sent after commit when a task reached its end or changed its stage. project_id, task_id, kind, status.
task_changed = Signal()

# Sent after commit when a conversation's turns have become memories. project_id, conversation_id, memory_ids.
conversation_refined = Signal()

# Sent after commit when memories were made, changed or deleted. project_id, operation, memory_ids.
memories_changed = Signal()
