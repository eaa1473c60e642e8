"""Work that belongs to an account and outlives its projects, such as deleting one of them."""

import django.db.models.deletion
from django.db import migrations, models

KINDS = ["refine", "feedback", "attachment", "file", "purge", "skill", "observe", "distill", "learn", "erase"]


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0013_trash"),
        ("tenancy", "0012_project_life"),
    ]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="kind",
            field=models.CharField(choices=[(kind, kind) for kind in KINDS], max_length=12),
        ),
        migrations.AlterField(
            model_name="task",
            name="project",
            field=models.ForeignKey(
                blank=True,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="tenancy.project",
            ),
        ),
    ]
