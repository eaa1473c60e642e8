"""The database notes which cubes are written to, so that a search knows without reading their rows.

A search compared the versions of all rows of an end user with what its process had kept: of 1,000 memories that took
longer than all the rest of the look-up. What was there before gets its first note in 0019.
"""

import django.db.models.deletion
import django.db.models.manager
import uuid_utils.compat
from django.db import migrations, models

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
WALL = [
    "ALTER TABLE memories_cubechange ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE memories_cubechange FORCE ROW LEVEL SECURITY",
    f"CREATE POLICY tenant ON memories_cubechange USING ({CONDITION}) WITH CHECK ({CONDITION})",
]
KEY = """
ALTER TABLE memories_cubechange ADD CONSTRAINT cube_change_within_tenant FOREIGN KEY (account_id, cube_id)
REFERENCES memories_memcube (account_id, id) ON DELETE CASCADE
"""
# The older notes of these cubes go with the new one, but for those that another transaction is taking away: nobody
# waits for anybody. A cube that is being deleted with its rows gets no note. The planner may have seen the table when
# it was empty, and would go on reading it whole.
NOTE = """
CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    WITH older AS (
        DELETE FROM memories_cubechange WHERE id IN (
            SELECT note.id FROM memories_cubechange note WHERE note.cube_id IN ({cubes}) FOR UPDATE SKIP LOCKED)
    ) INSERT INTO memories_cubechange (id, account_id, project_id, cube_id)
      SELECT gen_random_uuid(), cube.account_id, cube.project_id, cube.id FROM memories_memcube cube
       WHERE cube.id IN ({cubes});
    RETURN NULL;
END $$
"""
TRIGGER = """
CREATE TRIGGER noted_{event} AFTER {event} ON memories_memory REFERENCING {tables}
FOR EACH STATEMENT EXECUTE FUNCTION {name}()
"""
OLD, NEW = "SELECT cube_id FROM old_rows", "SELECT cube_id FROM new_rows"


def note(event, tables, cubes):
    name = f"memories_note_{event}"
    return migrations.RunSQL(
        [NOTE.format(name=name, cubes=cubes), TRIGGER.format(name=name, event=event, tables=tables)],
        [f"DROP TRIGGER noted_{event} ON memories_memory", f"DROP FUNCTION {name}()"],
    )


class Migration(migrations.Migration):
    dependencies = [("memories", "0017_found_by_project"), ("tenancy", "0017_found_by_project")]

    operations = [
        migrations.CreateModel(
            name="CubeChange",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.account",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        blank=True,
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "cube",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="memories.memcube",
                    ),
                ),
            ],
            options={
                "default_manager_name": "every",
                "indexes": [
                    models.Index(fields=["cube"], name="change_of_cube"),
                    models.Index(fields=["project"], name="change_of_project"),
                ],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(
            [KEY, *WALL],
            [
                "DROP POLICY tenant ON memories_cubechange",
                "ALTER TABLE memories_cubechange DROP CONSTRAINT cube_change_within_tenant",
            ],
        ),
        note("insert", "NEW TABLE AS new_rows", NEW),
        note("update", "OLD TABLE AS old_rows NEW TABLE AS new_rows", f"{OLD} UNION {NEW}"),
        note("delete", "OLD TABLE AS old_rows", OLD),
    ]
