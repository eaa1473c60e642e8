"""Mails to owners about keys, each in the language in which its reader was last in the console."""

import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0017_found_by_project"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="language",
            field=models.CharField(blank=True, db_default="", default="", max_length=10),
        ),
        migrations.CreateModel(
            name="KeyMail",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "news",
                    models.CharField(
                        choices=[("created", "Created"), ("rotated", "Rotated"), ("ending", "Ending")],
                        max_length=10,
                    ),
                ),
                ("hint", models.CharField(max_length=13)),
                ("expires_at", models.DateTimeField(null=True)),
                ("old_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("due_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent_at", models.DateTimeField(null=True)),
                (
                    "actor",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "key",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenancy.apikey"
                    ),
                ),
                (
                    "recipient",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("sent_at", None)), fields=["due_at"], name="key_mail_due"
                    ),
                    models.Index(fields=["created_at"], name="key_mail_by_age"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("news", "ending")),
                        fields=("key", "recipient", "expires_at"),
                        name="one_reminder_per_expiry",
                    )
                ],
            },
        ),
    ]
