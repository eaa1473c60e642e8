"""A login that is deleted leaves the recall tests and decisions that it made: the database itself forgets whose.

A deletion happens in no tenant's scope, so that the application would not see the rows.
"""

from django.db import migrations

DROP = """
DO $$
DECLARE held text;
BEGIN
    FOR held IN
        SELECT conname FROM pg_constraint
         WHERE conrelid = 'memories_{table}'::regclass AND contype = 'f' AND confrelid = 'tenancy_user'::regclass
           AND conkey = ARRAY[(SELECT attnum FROM pg_attribute
                                WHERE attrelid = 'memories_{table}'::regclass AND attname = 'created_by_id')]
    LOOP
        EXECUTE format('ALTER TABLE memories_{table} DROP CONSTRAINT %I', held);
    END LOOP;
END $$
"""
ADD = (
    "ALTER TABLE memories_{table} ADD CONSTRAINT {table}_created_by_login FOREIGN KEY (created_by_id)"
    " REFERENCES tenancy_user (id) {action} DEFERRABLE INITIALLY DEFERRED"
)


def login(table):
    drop = DROP.format(table=table)
    add = ADD.format(table=table, action="ON DELETE SET NULL")
    back = ADD.format(table=table, action="")
    return migrations.RunSQL([drop, add], [drop, back])


class Migration(migrations.Migration):
    dependencies = [("memories", "0035_memories_by_kind")]
    operations = [login("recalltest"), login("keptpair")]
