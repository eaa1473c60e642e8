"""Tasks that may take many seconds are marked, so that those of one account leave room for others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0042_memory_is_raw")]

    operations = [
        migrations.AddField(
            "task",
            "is_long",
            models.BooleanField(
                default=False,
                db_default=False,
                help_text="May take many seconds: long messages, or a project's own model.",
            ),
        ),
    ]
