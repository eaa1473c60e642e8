"""Accounts choose at which percents of a quota mails are sent. Those that exist keep all three."""

import django.contrib.postgres.fields
from django.db import migrations, models

# Everybody waits behind who waits to change the table.
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '60s'"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0031_request_log_path")]

    operations = [
        migrations.RunSQL(SHORT_LOCK_TIMEOUT, SHORT_LOCK_TIMEOUT),
        migrations.AddField(
            "account",
            "alert_thresholds",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.PositiveSmallIntegerField(),
                blank=True,
                db_default=[50, 80, 100],
                help_text="Percents of a quota at which owners and admins are sent a mail.",
                size=None,
            ),
        ),
    ]
