from django.db import migrations, models

KINDS = ["refine", "feedback", "attachment", "file", "purge", "skill", "observe", "distill", "learn"]


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0009_grants"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=12),
        ),
    ]
