"""What operators look at: their read-only visits to accounts' consoles."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0014_billing")]

    operations = [
        migrations.CreateModel(
            name="OperatorVisit",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("reason", models.CharField(max_length=300)),
                ("began_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("until", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "seen",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=200), db_default=[], default=list, size=None
                    ),
                ),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenancy.account"
                    ),
                ),
                (
                    "operator",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={"ordering": ["-began_at"]},
        ),
        migrations.AddIndex(
            model_name="operatorvisit",
            index=models.Index(
                condition=models.Q(("ended_at__isnull", True)), fields=["until"], name="operator_visit_open"
            ),
        ),
    ]
