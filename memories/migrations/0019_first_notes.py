"""Cubes that were there before 0018 get their first note; 0018 itself saw none of them, as the role that migrates."""

from django.db import migrations

# A cube that is being deleted is waited for, and then gets none.
FIRST_NOTES = """
INSERT INTO memories_cubechange (id, account_id, project_id, cube_id)
SELECT gen_random_uuid(), cube.account_id, cube.project_id, cube.id FROM memories_memcube cube
 WHERE cube.account_id = $1
   AND EXISTS (SELECT FROM memories_memory memory WHERE memory.cube_id = cube.id)
   AND NOT EXISTS (SELECT FROM memories_cubechange note WHERE note.cube_id = cube.id)
 LIMIT 1000 FOR KEY SHARE OF cube
"""


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0018_cube_changes"), ("tenancy", "0022_back_fill")]

    operations = [
        migrations.RunSQL(
            [f"CALL tenancy_back_fill($back_fill${FIRST_NOTES}$back_fill$)"], migrations.RunSQL.noop
        )
    ]
