"""Children point to parents together with their tenant, so that Postgres refuses a reference across the wall."""

from django.db import migrations

# child, its columns, parent, the parent's columns, what happens to the child with the parent
KEYS = [
    ("conversation", "project_id, cube_id", "memcube", "project_id, id", "CASCADE"),
    ("message", "project_id, conversation_id", "conversation", "project_id, id", "CASCADE"),
    ("intake", "project_id, conversation_id", "conversation", "project_id, id", "CASCADE"),
    ("feedback", "project_id, cube_id", "memcube", "project_id, id", "CASCADE"),
    ("feedback", "project_id, conversation_id", "conversation", "project_id, id", "CASCADE"),
    ("memory", "account_id, cube_id", "memcube", "account_id, id", "CASCADE"),
    ("memory", "project_id, conversation_id", "conversation", "project_id, id", "SET NULL (conversation_id)"),
    ("memorysource", "account_id, memory_id", "memory", "account_id, id", "CASCADE"),
    ("memorysource", "project_id, message_id", "message", "project_id, id", "CASCADE"),
    ("recall", "account_id, memory_id", "memory", "account_id, id", "CASCADE"),
    ("memoryversion", "account_id, memory_id", "memory", "account_id, id", "CASCADE"),
]


def key(child, columns, parent, target, on_delete):
    name = f"{child}_{columns.split(', ')[1].removesuffix('_id')}_within_tenant"
    return migrations.RunSQL(
        f"ALTER TABLE memories_{child} ADD CONSTRAINT {name} FOREIGN KEY ({columns})"
        f" REFERENCES memories_{parent} ({target}) ON DELETE {on_delete}",
        f"ALTER TABLE memories_{child} DROP CONSTRAINT {name}",
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0001_initial")]
    operations = [key(*row) for row in KEYS]
