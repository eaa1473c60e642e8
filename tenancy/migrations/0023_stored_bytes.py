"""How many bytes accounts store, and how many their plans allow: enough for all the knowledge bases of the plan, and a
fifth more.

The triggers that count belong to `tenancy.storage`, which makes them anew after every migration.
"""

import django.db.models.deletion
import django.db.models.manager
import uuid_utils.compat
from django.db import migrations, models

CONDITION = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"
GIGABYTES = {"free": 12, "starter": 360, "pro": 12_000}
# What deleting an account's last rows notes would stay for ever: nobody folds for an account that is gone.
CLEAR = """
CREATE FUNCTION tenancy_clear_stored() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM tenancy_storedchange WHERE account_id = OLD.id;
    RETURN NULL;
END $$
"""
CLEARED = """
CREATE TRIGGER stored_cleared AFTER DELETE ON tenancy_account
FOR EACH ROW EXECUTE FUNCTION tenancy_clear_stored()
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


def fill_plans(apps, schema_editor):
    plans = apps.get_model("tenancy", "Plan").objects.using(schema_editor.connection.alias)
    for code, gigabytes in GIGABYTES.items():
        plans.filter(code=code).update(storage_megabytes=gigabytes * 1024)


def account(**options):
    return models.ForeignKey(
        db_index=False,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="tenancy.account",
        **options,
    )


def key():
    return models.UUIDField(
        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
    )


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0022_back_fill")]

    operations = [
        migrations.AddField(
            "plan",
            "storage_megabytes",
            models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="StoredBytes",
            fields=[
                ("id", key()),
                ("table", models.CharField(max_length=63)),
                ("bytes", models.BigIntegerField()),
                ("account", account()),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("account", "table"), name="one_sum_per_stored_table")
                ],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.CreateModel(
            name="StoredChange",
            fields=[
                ("id", key()),
                ("table", models.CharField(max_length=63)),
                ("bytes", models.BigIntegerField()),
                ("account", account(db_constraint=False)),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "indexes": [models.Index(fields=["account"], name="stored_change_of_account")],
            },
            managers=[("every", django.db.models.manager.Manager())],
        ),
        wall("tenancy_storedbytes"),
        wall("tenancy_storedchange"),
        migrations.RunSQL(
            [CLEAR, CLEARED],
            ["DROP TRIGGER stored_cleared ON tenancy_account", "DROP FUNCTION tenancy_clear_stored()"],
        ),
        migrations.RunPython(fill_plans, migrations.RunPython.noop),
    ]
