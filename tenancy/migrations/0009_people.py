import django.db.models.deletion
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

ROLES = [("owner", "Owner"), ("admin", "Admin"), ("developer", "Developer"), ("viewer", "Viewer")]

# A differing role goes with the membership and stays within its account, whoever deletes.
KEYS = [
    ("role_of_member", "account_id, user_id", "tenancy_membership (account_id, user_id)"),
    ("role_in_project", "account_id, project_id", "tenancy_project (account_id, id)"),
]


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0008_request_log_partitions")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="seen_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="ProjectRole",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("role", models.CharField(choices=ROLES, max_length=12)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenancy.account"
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.project",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "user"), name="one_role_per_project")
                ]
            },
        ),
        *(
            migrations.RunSQL(
                f"ALTER TABLE tenancy_projectrole ADD CONSTRAINT {name}"
                f" FOREIGN KEY ({columns}) REFERENCES {parent} ON DELETE CASCADE",
                f"ALTER TABLE tenancy_projectrole DROP CONSTRAINT {name}",
            )
            for name, columns, parent in KEYS
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("email", models.EmailField(max_length=254)),
                ("role", models.CharField(choices=ROLES, max_length=12)),
                ("token_digest", models.BinaryField(unique=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expires_at", models.DateTimeField()),
                ("accepted_at", models.DateTimeField(null=True)),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to="tenancy.account",
                    ),
                ),
                (
                    "invited_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("accepted_at", None), ("revoked_at", None)),
                        fields=("account", "email"),
                        name="one_open_invitation_per_address",
                    )
                ],
            },
        ),
    ]
