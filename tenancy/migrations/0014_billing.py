"""What accounts pay: the mirror of Stripe's words behind the account's wall, and three tables without words of tenants."""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.conf import settings
from django.db import migrations, models

CONDITION = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"


def wall(table):
    return migrations.RunSQL(
        [
            f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {table} USING ({CONDITION}) WITH CHECK ({CONDITION})",
        ],
        [
            f"DROP POLICY tenant ON {table}",
            f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {table} DISABLE ROW LEVEL SECURITY",
        ],
    )


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0013_provider_keys")]

    operations = [
        migrations.CreateModel(
            name="StripeCustomer",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenancy.account",
                    ),
                ),
                ("customer_id", models.CharField(max_length=255, unique=True)),
                ("heard_of", models.CharField(blank=True, db_default="", default="", max_length=255)),
                (
                    "due_at",
                    models.DateTimeField(
                        help_text="When it is read again; empty while nothing is known to change.", null=True
                    ),
                ),
                (
                    "read_at",
                    models.DateTimeField(help_text="When the reading began that is stored.", null=True),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        condition=models.Q(("due_at__isnull", False)), fields=["due_at"], name="customer_due"
                    ),
                    models.Index(fields=["read_at"], name="customer_by_reading"),
                ],
            },
        ),
        migrations.CreateModel(
            name="StripeEvent",
            fields=[
                ("id", models.CharField(max_length=255, primary_key=True, serialize=False)),
                ("kind", models.CharField(max_length=100)),
                ("customer_id", models.CharField(max_length=255)),
                ("received_at", models.DateTimeField(default=django.utils.timezone.now)),
            ],
            options={
                "indexes": [models.Index(fields=["received_at"], name="event_by_age")],
            },
        ),
        migrations.CreateModel(
            name="Invoice",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("invoice_id", models.CharField(max_length=255)),
                ("number", models.CharField(blank=True, max_length=60)),
                ("state", models.CharField(max_length=20)),
                ("total", models.BigIntegerField()),
                ("remaining", models.BigIntegerField()),
                ("currency", models.CharField(max_length=3)),
                ("issued_at", models.DateTimeField()),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.account",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("account", "invoice_id"), name="one_row_per_invoice")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        migrations.CreateModel(
            name="PlanApplication",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "Open"),
                            ("granted", "Granted"),
                            ("refused", "Refused"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="tenancy.account"
                    ),
                ),
                (
                    "applied_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "plan",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tenancy.plan"
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state", "open")),
                        fields=("account",),
                        name="one_open_application_per_account",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Subscription",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("subscription_id", models.CharField(blank=True, max_length=255)),
                ("item_id", models.CharField(blank=True, max_length=255)),
                ("state", models.CharField(blank=True, max_length=30)),
                ("price_id", models.CharField(blank=True, max_length=255)),
                ("interval", models.CharField(blank=True, max_length=10)),
                ("period_end", models.DateTimeField(null=True)),
                ("cancels_at", models.DateTimeField(null=True)),
                ("has_pending_change", models.BooleanField(db_default=False, default=False)),
                ("card_brand", models.CharField(blank=True, max_length=30)),
                ("card_last_four", models.CharField(blank=True, max_length=4)),
                ("card_expires", models.CharField(blank=True, max_length=7)),
                ("tax_id", models.CharField(blank=True, max_length=60)),
                ("next_amount", models.BigIntegerField(null=True)),
                ("next_at", models.DateTimeField(null=True)),
                ("currency", models.CharField(blank=True, max_length=3)),
                ("checkout_id", models.CharField(blank=True, max_length=255)),
                ("awaited_at", models.DateTimeField(null=True)),
                (
                    "account",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="tenancy.account",
                    ),
                ),
                (
                    "gives",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenancy.plan",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "default_manager_name": "every",
                "constraints": [
                    models.UniqueConstraint(fields=("account",), name="one_subscription_per_account")
                ],
            },
            managers=[
                ("every", django.db.models.manager.Manager()),
            ],
        ),
        wall("tenancy_subscription"),
        wall("tenancy_invoice"),
    ]
