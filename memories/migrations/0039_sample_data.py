"""Tasks that fill a project with sample data."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0038_texts_in_rows")]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(
                choices=[
                    ("refine", "refine"),
                    ("feedback", "feedback"),
                    ("attachment", "attachment"),
                    ("file", "file"),
                    ("purge", "purge"),
                    ("skill", "skill"),
                    ("observe", "observe"),
                    ("distill", "distill"),
                    ("learn", "learn"),
                    ("erase", "erase"),
                    ("reextract", "reextract"),
                    ("bulk", "bulk"),
                    ("recall_tests", "recall_tests"),
                    ("sample", "sample"),
                ],
                max_length=12,
            ),
        )
    ]
