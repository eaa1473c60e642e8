"""Signals that other apps may receive."""

from django.dispatch import Signal

# Sent after a request log row is stored. project_id, entry (the row).
request_logged = Signal()

# Sent after a request was refused for a key of this project. project_id.
key_refused = Signal()

# Sent inside the transaction that changes what a project's searches go by, by plain `send`. project.
search_changed = Signal()

# Sent when what an account pays, or the plan it has, changed and is stored. account_id, state.
billing_changed = Signal()

# Sent inside the transaction that ends a membership, by plain `send`. account, member.
member_left = Signal()
