"""Versions of memories keep tags and info, so that a version is restored whole."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0029_task_started")]

    operations = [
        migrations.AddField(
            "memoryversion",
            "tags",
            django.contrib.postgres.fields.ArrayField(
                base_field=models.TextField(), blank=True, null=True, size=None
            ),
        ),
        migrations.AddField("memoryversion", "info", models.JSONField(blank=True, null=True)),
    ]
