"""A login that is deleted leaves what it brought and changed: the database itself forgets whose it was.

A deletion happens in no tenant's scope, so that the application would not see the rows.
"""

from django.db import migrations

COLUMNS = [
    ("knowledgebase", "created_by_id"),
    ("knowledgefile", "uploaded_by_id"),
    ("correction", "made_by_id"),
    ("correction", "reverted_by_id"),
]
DROP = """
DO $$
DECLARE held text;
BEGIN
    FOR held IN
        SELECT conname FROM pg_constraint
         WHERE conrelid = 'knowledgebase_{table}'::regclass AND contype = 'f'
           AND confrelid = 'tenancy_user'::regclass
           AND conkey = ARRAY[(SELECT attnum FROM pg_attribute
                                WHERE attrelid = 'knowledgebase_{table}'::regclass AND attname = '{column}')]
    LOOP
        EXECUTE format('ALTER TABLE knowledgebase_{table} DROP CONSTRAINT %I', held);
    END LOOP;
END $$
"""
ADD = (
    "ALTER TABLE knowledgebase_{table} ADD CONSTRAINT {table}_{column}_login FOREIGN KEY ({column})"
    " REFERENCES tenancy_user (id) {action} DEFERRABLE INITIALLY DEFERRED"
)


def login(table, column):
    drop = DROP.format(table=table, column=column)
    add = ADD.format(table=table, column=column, action="ON DELETE SET NULL")
    back = ADD.format(table=table, column=column, action="")
    return migrations.RunSQL([drop, add], [drop, back])


class Migration(migrations.Migration):
    dependencies = [("knowledgebase", "0002_fragment_context")]
    operations = [login(*row) for row in COLUMNS]
