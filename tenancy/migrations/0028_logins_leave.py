"""A login that is deleted leaves its public links and the receipts of its deletions: the database itself forgets whose.

A deletion happens in no tenant's scope, so that the application would not see the rows.
"""

from django.db import migrations

DROP = """
DO $$
DECLARE held text;
BEGIN
    FOR held IN
        SELECT conname FROM pg_constraint
         WHERE conrelid = 'tenancy_{table}'::regclass AND contype = 'f' AND confrelid = 'tenancy_user'::regclass
           AND conkey = ARRAY[(SELECT attnum FROM pg_attribute
                                WHERE attrelid = 'tenancy_{table}'::regclass AND attname = '{column}')]
    LOOP
        EXECUTE format('ALTER TABLE tenancy_{table} DROP CONSTRAINT %I', held);
    END LOOP;
END $$
"""
ADD = (
    "ALTER TABLE tenancy_{table} ADD CONSTRAINT {table}_{column}_login FOREIGN KEY ({column})"
    " REFERENCES tenancy_user (id) {action} DEFERRABLE INITIALLY DEFERRED"
)


def login(table, column):
    drop = DROP.format(table=table, column=column)
    add = ADD.format(table=table, column=column, action="ON DELETE SET NULL")
    back = ADD.format(table=table, column=column, action="")
    return migrations.RunSQL([drop, add], [drop, back])


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0027_log_share")]
    operations = [login("logshare", "created_by_id"), login("projectdeletion", "actor_id")]
