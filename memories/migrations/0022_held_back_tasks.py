"""A claim need not look again at tasks that wait for an earlier one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0021_messages_by_role")]

    operations = [
        migrations.AddField(
            "task",
            "is_held_back",
            models.BooleanField(
                default=False,
                db_default=False,
                help_text="Found due while an earlier task of its subject was open.",
            ),
        ),
    ]
