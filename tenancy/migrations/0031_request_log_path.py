"""The log keeps the path of calls whose address names ids, so that the console shows them as curl and corrected."""

from django.db import migrations, models

# Everybody waits behind who waits to change the table.
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '60s'"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0030_request_log_policy")]

    operations = [
        migrations.RunSQL(SHORT_LOCK_TIMEOUT, SHORT_LOCK_TIMEOUT),
        migrations.AddField(
            "requestlog", "path", models.CharField(blank=True, db_default="", default="", max_length=200)
        ),
    ]
