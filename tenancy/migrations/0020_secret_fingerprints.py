"""What tells hosts that share this database whether they have the same secrets. Only the owner reads it."""

from django.db import migrations

FORWARDS = """
CREATE TABLE tenancy_secretfingerprint (
    name text PRIMARY KEY,
    salt text NOT NULL,
    digest text NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
);
REVOKE ALL ON tenancy_secretfingerprint FROM engram_app;
"""


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0019_asks_second_factor")]

    operations = [migrations.RunSQL(FORWARDS, "DROP TABLE tenancy_secretfingerprint")]
