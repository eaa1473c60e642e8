import django.contrib.postgres.fields
from django.db import migrations, models


def words(length):
    return models.CharField(blank=True, db_default="", default="", max_length=length)


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0010_audit_chain")]

    operations = [
        migrations.AddField(
            "apikey",
            "ranges",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=43), blank=True, db_default=[], default=list, size=None
            ),
        ),
        migrations.AddField(
            "apikey",
            "daily_cap",
            models.PositiveIntegerField(blank=True, help_text="Calls a day (UTC).", null=True),
        ),
        migrations.AddField("apikey", "old_digest", models.BinaryField(null=True, unique=True)),
        migrations.AddField("apikey", "old_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("apikey", "last_used_address", words(45)),
        migrations.AddField("apikey", "last_used_endpoint", words(60)),
        migrations.AddField("requestlog", "address", words(45)),
    ]
