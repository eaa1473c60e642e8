"""Ids of sessions are unique in their project only, so that nobody learns which ids other projects use.

The ids that sessions have become their public ids. Row-level security hides all rows from an UPDATE of the owner role;
changing the type of a column rewrites every row whatever the policies say.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0003_found_by_project")]

    operations = [
        migrations.AddField("session", "public_id", models.UUIDField(editable=False, null=True)),
        migrations.RunSQL(
            "ALTER TABLE skills_session ALTER COLUMN public_id TYPE uuid USING id", migrations.RunSQL.noop
        ),
        migrations.AlterField("session", "public_id", models.UUIDField(editable=False)),
        migrations.AddConstraint(
            "session",
            models.UniqueConstraint(fields=["project", "public_id"], name="one_session_per_public_id"),
        ),
    ]
