"""The database's wall around the tables of this app, and what the sweeper's role may see.

The task table has no policy: it is read before a tenant is known, and holds ids only.
"""

from django.db import migrations

TABLES = [
    "memories_memcube",
    "memories_conversation",
    "memories_message",
    "memories_intake",
    "memories_feedback",
    "memories_memory",
    "memories_memorysource",
    "memories_memoryversion",
    "memories_recall",
]

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""

# An outside database may have other roles: the grant is for the one that `make run` makes.
GRANT = """
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'engram_sweep') THEN
        {verb} SELECT, UPDATE ON memories_task {preposition} engram_sweep;
    END IF;
END $$
"""


def wall(table):
    return migrations.RunSQL(
        [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} USING ({CONDITION}) WITH CHECK ({CONDITION})",
        ],
        [
            f"DROP POLICY tenant ON {table}",
            f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        ],
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0002_composite_keys"), ("tenancy", "0003_row_level_security")]
    operations = [
        *[wall(table) for table in TABLES],
        migrations.RunSQL(
            GRANT.format(verb="GRANT", preposition="TO"), GRANT.format(verb="REVOKE", preposition="FROM")
        ),
    ]
