from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("memories", "0011_passage_index"), ("tenancy", "0007_quotas")]

    operations = [
        migrations.AddField("task", "cost", models.JSONField(null=True)),
        migrations.AddIndex(
            "task",
            models.Index(
                fields=["finished_at"],
                name="task_to_refund",
                condition=Q(cost__isnull=False, state__in=["failed", "dead"]),
            ),
        ),
    ]
