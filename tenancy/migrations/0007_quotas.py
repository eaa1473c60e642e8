"""What plans allow in a month, what accounts take of it, and what came of that: behind the walls of their account.

The functions are one statement each, so that a request's place in the quota is taken or given back in a
transaction of its own that lasts as long as the statement: nobody waits for a row longer than that. They open the
account's scope for themselves and close it again, because they may be called inside a longer transaction.
"""

import django.db.models.deletion
import django.db.models.manager
import django.utils.timezone
import uuid_utils.compat
from django.db import migrations, models

METERS = [
    "adds", "searches", "chats", "feedbacks", "extractions", "rerankings", "file_uploads", "skill_uploads",
    "chat_input_tokens", "chat_output_tokens",
]  # fmt: skip
PLANS = {
    # requests a second at most, price a month and a year in cents, then the meters in their order
    "free": (200, 0, 0, 100_000, 200_000, 20_000, 20_000, 50_000, 50_000, 5_000, 2_000, 20_000_000, 10_000_000),
    "starter": (400, 1_900, 19_000, 500_000, 1_000_000, 100_000, 100_000, 250_000, 250_000, 25_000, 10_000, 100_000_000, 50_000_000),
    "pro": (800, 9_900, 99_000, 2_500_000, 5_000_000, 500_000, 500_000, 1_250_000, 1_250_000, 125_000, 50_000, 500_000_000, 250_000_000),
    "enterprise": (2_000, None, None, *[None] * len(METERS)),
}  # fmt: skip

TABLES = ["quotamonth", "reservation", "usageday", "subjectusage", "quotaalert"]
CONDITION = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"
OF_PROJECT = f"""
    {CONDITION}
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""
KEYS = [("usageday", "SET NULL (project_id)"), ("subjectusage", "CASCADE")]

# Plans are made once for each connection; one that was made while a table was small must not read all of it when it is
# large.
# What every function does first and last: the account's scope, for as long as it runs. Where it is not part of a longer
# transaction its commit does not wait for the disk: whatever is written durably after it, waits for it too.
OPEN = """
    PERFORM set_config('engram.account_id', of_account::text, true), set_config('engram.project_id', '', true),
            set_config('engram.scope', 'account', true);
    IF NOT is_part THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
"""
CLOSE = """
    PERFORM set_config('engram.account_id', coalesce(before[1], ''), true),
            set_config('engram.project_id', coalesce(before[2], ''), true),
            set_config('engram.scope', coalesce(before[3], ''), true);
"""
BEFORE = """
    before text[] := ARRAY[current_setting('engram.account_id', true), current_setting('engram.project_id', true),
                           current_setting('engram.scope', true)];
"""
# All of the lines or none: `refused` names the meter that has not so much left, and the others are about it; else they
# say what is taken of the first line's meter now, and what was granted of it.
RESERVE = f"""
CREATE FUNCTION tenancy_reserve(
    ids uuid[], of_account uuid, of_project uuid, with_key uuid, on_day date,
    meters text[], amounts bigint[], allowances bigint[], is_part boolean,
    OUT refused text, OUT taken bigint, OUT granted bigint
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    {BEFORE}
    first_day date := date_trunc('month', on_day)::date;
    now_taken bigint;
    now_granted bigint;
BEGIN
    {OPEN}
    FOR line IN 1..array_length(ids, 1) LOOP
        FOR attempt IN 1..2 LOOP
            UPDATE tenancy_quotamonth kept SET taken = kept.taken + amounts[line]
             WHERE kept.account_id = of_account AND kept.meter = meters[line] AND kept.month = first_day
               AND (allowances[line] IS NULL OR kept.taken + amounts[line] <= allowances[line] + kept.granted)
            RETURNING kept.taken, kept.granted INTO now_taken, now_granted;
            EXIT WHEN FOUND OR attempt = 2;
            INSERT INTO tenancy_quotamonth (id, account_id, meter, month)
            VALUES (gen_random_uuid(), of_account, meters[line], first_day) ON CONFLICT DO NOTHING;
        END LOOP;
        IF now_taken IS NULL THEN
            refused := meters[line];
            SELECT kept.taken, kept.granted INTO taken, granted FROM tenancy_quotamonth kept
             WHERE kept.account_id = of_account AND kept.meter = meters[line] AND kept.month = first_day;
            PERFORM tenancy_give_back(ids[1:line - 1], of_account, true);
            EXIT;
        END IF;
        INSERT INTO tenancy_reservation (id, account_id, project_id, api_key_id, meter, day, amount, reserved_at)
        VALUES (ids[line], of_account, of_project, with_key, meters[line], on_day, amounts[line], now());
        taken := coalesce(taken, now_taken);
        granted := coalesce(granted, now_granted);
    END LOOP;
    {CLOSE}
END $$
"""  # noqa: S608  # no word of it comes from outside
GIVE_BACK = f"""
CREATE FUNCTION tenancy_give_back(ids uuid[], of_account uuid, is_part boolean) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    {BEFORE}
    line record;
BEGIN
    {OPEN}
    FOR line IN
        WITH gone AS (
            DELETE FROM tenancy_reservation held
             WHERE held.id = ANY (ids) AND held.used IS NULL
            RETURNING held.meter, date_trunc('month', held.day)::date AS month, held.amount
        ) SELECT meter, month, sum(amount) AS amount FROM gone GROUP BY meter, month ORDER BY month, meter
    LOOP
        UPDATE tenancy_quotamonth kept SET taken = kept.taken - line.amount
         WHERE kept.account_id = of_account AND kept.meter = line.meter AND kept.month = line.month;
    END LOOP;
    {CLOSE}
END $$
"""  # noqa: S608  # no word of it comes from outside
# Which of them were there still to be settled.
SETTLE = f"""
CREATE FUNCTION tenancy_settle(ids uuid[], of_account uuid, used_now bigint[], about text, is_part boolean)
RETURNS uuid[] LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    {BEFORE}
    settled uuid[];
BEGIN
    {OPEN}
    WITH done AS (
        UPDATE tenancy_reservation held SET used = used_now[array_position(ids, held.id)], subject = about
         WHERE held.id = ANY (ids) AND held.used IS NULL
        RETURNING held.id
    ) SELECT coalesce(array_agg(done.id), ARRAY[]::uuid[]) INTO settled FROM done;
    {CLOSE}
    RETURN settled;
END $$
"""  # noqa: S608  # no word of it comes from outside
# Of meters that the plan does not limit: nothing was taken beforehand, so the month's row hears of it by folding.
COUNT = f"""
CREATE FUNCTION tenancy_count(
    ids uuid[], of_account uuid, of_project uuid, with_key uuid, on_day date,
    meters text[], used_now bigint[], about text, is_part boolean
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    {BEFORE}
BEGIN
    {OPEN}
    INSERT INTO tenancy_reservation
           (id, account_id, project_id, api_key_id, meter, day, amount, used, subject, reserved_at)
    SELECT lines.id, of_account, of_project, with_key, lines.meter, on_day, 0, lines.used, about, now()
      FROM unnest(ids, meters, used_now) AS lines (id, meter, used);
    {CLOSE}
END $$
"""  # noqa: S608  # no word of it comes from outside
# What is taken and granted of each meter in a month: one statement for every page, in whatever scope it is asked.
TAKEN = f"""
CREATE FUNCTION tenancy_taken(of_account uuid, of_month date, is_part boolean)
RETURNS TABLE (meter text, taken bigint, granted bigint) LANGUAGE plpgsql AS $$
DECLARE
    {BEFORE}
BEGIN
    {OPEN}
    RETURN QUERY SELECT kept.meter::text, kept.taken, kept.granted FROM tenancy_quotamonth kept
                  WHERE kept.account_id = of_account AND kept.month = of_month;
    {CLOSE}
END $$
"""  # noqa: S608  # no word of it comes from outside
NO_FUNCTIONS = """
DROP FUNCTION tenancy_taken(uuid, date, boolean);
DROP FUNCTION tenancy_reserve(uuid[], uuid, uuid, uuid, date, text[], bigint[], bigint[], boolean);
DROP FUNCTION tenancy_count(uuid[], uuid, uuid, uuid, date, text[], bigint[], text, boolean);
DROP FUNCTION tenancy_settle(uuid[], uuid, bigint[], text, boolean);
DROP FUNCTION tenancy_give_back(uuid[], uuid, boolean)
"""


def wall(table):
    name = f"tenancy_{table}"
    condition = OF_PROJECT if table in {"reservation", "usageday", "subjectusage"} else CONDITION
    return migrations.RunSQL(
        [
            f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY",
            f"ALTER TABLE {name} FORCE ROW LEVEL SECURITY",
            f"CREATE POLICY tenant ON {name} USING ({condition}) WITH CHECK ({condition})",
        ],
        [
            f"DROP POLICY tenant ON {name}",
            f"ALTER TABLE {name} NO FORCE ROW LEVEL SECURITY",
            f"ALTER TABLE {name} DISABLE ROW LEVEL SECURITY",
        ],
    )


def key(table, on_delete):
    return migrations.RunSQL(
        f"ALTER TABLE tenancy_{table} ADD CONSTRAINT {table}_project_within_tenant"
        f" FOREIGN KEY (account_id, project_id) REFERENCES tenancy_project (account_id, id) ON DELETE {on_delete}",
        f"ALTER TABLE tenancy_{table} DROP CONSTRAINT {table}_project_within_tenant",
    )


def fill_plans(apps, schema_editor):
    plans = apps.get_model("tenancy", "Plan").objects.using(schema_editor.connection.alias)
    for code, (requests, month, year, *allowances) in PLANS.items():
        monthly = {f"monthly_{meter}": allowed for meter, allowed in zip(METERS, allowances, strict=True)}
        plans.filter(code=code).update(
            most_requests_per_second=requests,
            monthly_price=month,
            yearly_price=year,
            is_by_agreement=code == "enterprise",
            is_listed=True,
            **monthly,
        )


def account_row(name, fields, **options):
    return migrations.CreateModel(
        name=name,
        fields=[
            (
                "id",
                models.UUIDField(
                    default=uuid_utils.compat.uuid7, editable=False, primary_key=True, serialize=False
                ),
            ),
            *fields,
            ("account", foreign("account", CASCADE, db_constraint=name != "Reservation")),
        ],
        options={"abstract": False, "default_manager_name": "every", **options},
        managers=[("every", django.db.models.manager.Manager())],
    )


def foreign(model, on_delete, **options):
    return models.ForeignKey(
        db_index=False, on_delete=on_delete, related_name="+", to=f"tenancy.{model}", **options
    )


def count(**options):
    return models.BigIntegerField(default=0, db_default=0, **options)


CASCADE, SET_NULL, DO_NOTHING = (
    django.db.models.deletion.CASCADE,
    django.db.models.deletion.SET_NULL,
    django.db.models.deletion.DO_NOTHING,
)
METER = ("meter", models.CharField(max_length=30))
MONTH = ("month", models.DateField())
DAY = ("day", models.DateField())


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0006_stored_answer_subjects")]

    operations = [
        migrations.AlterField(
            "plan", "requests_per_second", models.PositiveIntegerField(help_text="As many as are advised.")
        ),
        migrations.AddField(
            "plan", "most_requests_per_second", models.PositiveIntegerField(default=200, db_default=200)
        ),
        migrations.AddField("plan", "is_by_agreement", models.BooleanField(default=False, db_default=False)),
        migrations.AddField(
            "plan",
            "is_listed",
            models.BooleanField(
                default=False, db_default=False, help_text="Whether it is on the pricing page."
            ),
        ),
        migrations.AddField("plan", "monthly_price", models.PositiveIntegerField(null=True, blank=True)),
        migrations.AddField("plan", "yearly_price", models.PositiveIntegerField(null=True, blank=True)),
        *[
            migrations.AddField(
                "plan", f"monthly_{meter}", models.PositiveBigIntegerField(null=True, blank=True)
            )
            for meter in METERS
        ],
        migrations.AddField("requestlog", "charged", count()),
        account_row(
            "QuotaMonth",
            [
                METER,
                ("month", models.DateField(help_text="Its first day.")),
                ("taken", count()),
                ("granted", count()),
            ],
        ),
        account_row(
            "Reservation",
            [
                METER,
                DAY,
                ("amount", models.BigIntegerField()),
                ("used", models.BigIntegerField(null=True)),
                ("subject", models.CharField(max_length=120, blank=True, db_default="")),
                ("reserved_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("project", foreign("project", DO_NOTHING, db_constraint=False)),
                ("api_key", foreign("apikey", DO_NOTHING, db_constraint=False)),
            ],
        ),
        account_row(
            "UsageDay",
            [
                METER,
                DAY,
                ("used", count()),
                ("refused", count()),
                ("project", foreign("project", SET_NULL, null=True)),
                ("api_key", foreign("apikey", DO_NOTHING, db_constraint=False)),
            ],
        ),
        account_row(
            "SubjectUsage",
            [
                ("subject", models.CharField(max_length=120)),
                METER,
                DAY,
                ("used", count()),
                ("project", foreign("project", CASCADE)),
            ],
        ),
        account_row(
            "QuotaAlert",
            [
                METER,
                MONTH,
                ("percent", models.PositiveSmallIntegerField()),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("sent_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddConstraint(
            "quotamonth",
            models.UniqueConstraint(fields=("account", "meter", "month"), name="one_quota_per_month"),
        ),
        migrations.AddIndex(
            "reservation",
            models.Index(
                fields=["account"], name="reservation_to_fold", condition=models.Q(used__isnull=False)
            ),
        ),
        migrations.AddConstraint(
            "usageday",
            models.UniqueConstraint(
                fields=("account", "day", "project", "api_key", "meter"), name="one_usage_per_day_and_key"
            ),
        ),
        migrations.AddConstraint(
            "subjectusage",
            models.UniqueConstraint(
                fields=("project", "day", "meter", "subject"), name="one_usage_per_day_and_subject"
            ),
        ),
        migrations.AddIndex(
            "subjectusage", models.Index(fields=["account", "subject", "day"], name="usage_of_subject")
        ),
        migrations.AddIndex(
            "subjectusage", models.Index(fields=["account", "day"], name="usage_of_subjects")
        ),
        migrations.AddConstraint(
            "quotaalert",
            models.UniqueConstraint(
                fields=("account", "meter", "month", "percent"), name="one_alert_per_threshold"
            ),
        ),
        *[wall(table) for table in TABLES],
        *[key(*row) for row in KEYS],
        # Each call changes its month's row: room for its versions on its page spares the index.
        migrations.RunSQL(
            "ALTER TABLE tenancy_quotamonth SET (fillfactor = 50); ALTER TABLE tenancy_reservation SET (fillfactor = 70,"
            " autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 5000)",
            "ALTER TABLE tenancy_quotamonth RESET (fillfactor)",
        ),
        migrations.RunSQL([GIVE_BACK, RESERVE, SETTLE, COUNT, TAKEN], NO_FUNCTIONS),
        migrations.RunPython(fill_plans, migrations.RunPython.noop),
    ]
