"""People are found by their address in any case."""

from django.db import migrations, models
from django.db.models.functions import Upper

# Everybody waits behind who waits to change the table.
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '60s'"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0032_alert_thresholds")]

    operations = [
        migrations.RunSQL(SHORT_LOCK_TIMEOUT, SHORT_LOCK_TIMEOUT),
        migrations.AddIndex("user", models.Index(Upper("email"), name="user_by_email_in_any_case")),
    ]
