"""Files of session messages, and what each message takes.

The columns of a message that was stored before stay null until a job has counted it.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("skills", "0004_session_public_ids")]

    operations = [
        migrations.AddField("sessionmessage", "files", models.JSONField(blank=True, null=True)),
        migrations.AddField(
            "sessionmessage",
            "storage_key",
            models.CharField(blank=True, db_default="", default="", max_length=200),
        ),
        migrations.AddField(
            "sessionmessage", "stored_bytes", models.PositiveBigIntegerField(db_default=0, default=0)
        ),
        migrations.AddField("sessionmessage", "row_bytes", models.PositiveBigIntegerField(null=True)),
        migrations.AddField("sessionmessage", "tokens", models.PositiveIntegerField(null=True)),
    ]
