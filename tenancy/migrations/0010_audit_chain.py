"""The audit log becomes append-only and chained: each entry's hash covers the one before it.

The chain is made by the database itself, when the transaction commits: the account's head is then locked for an
instant, and after every other lock, so that two writers wait for each other but never in a circle. The application's
role can neither number an entry nor change or delete one: the functions that do belong to the owner of the tables.
"""

import django.core.serializers.json
import django.db.models.deletion
import django.db.models.manager
from django.conf import settings
from django.db import migrations, models

SCOPED = """
    acting text := current_setting('engram.account_id', true);
    reach text := current_setting('engram.scope', true);
"""
ENTER = """
    PERFORM set_config('engram.account_id', whose::text, true), set_config('engram.scope', 'account', true);
"""
LEAVE = """
    PERFORM set_config('engram.account_id', coalesce(acting, ''), true),
            set_config('engram.scope', coalesce(reach, ''), true),
            set_config('engram.audit', '', true);
"""

# What the hash covers, in PostgreSQL's one way of writing jsonb.
TEXT = """
CREATE FUNCTION tenancy_audit_text(entry tenancy_auditevent) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'number', entry.number, 'id', entry.id, 'account', entry.account_id, 'project', entry.project_id,
        'actor_kind', entry.actor_kind, 'actor', entry.actor_id, 'actor_label', entry.actor_label,
        'action', entry.action, 'object_kind', entry.object_kind, 'object_id', entry.object_id,
        'detail', entry.detail, 'address', entry.address, 'request_id', entry.request_id,
        'at', to_char(entry.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
    )::text
$$
"""
HASH = r"""
CREATE FUNCTION tenancy_audit_hash(entry tenancy_auditevent) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(convert_to(encode(entry.previous, 'hex') || E'\n' || tenancy_audit_text(entry), 'UTF8'))
$$
"""
APPEND = """
CREATE FUNCTION tenancy_audit_append(entry tenancy_auditevent) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    head tenancy_audithead;
BEGIN
    INSERT INTO tenancy_audithead (account_id, number, hash, trimmed_number, trimmed_hash)
        VALUES (entry.account_id, 0, '', 0, '') ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM tenancy_audithead WHERE account_id = entry.account_id FOR UPDATE;
    entry.number := head.number + 1;
    entry.previous := head.hash;
    entry.hash := tenancy_audit_hash(entry);
    PERFORM set_config('engram.audit', 'chaining', true);
    UPDATE tenancy_auditevent SET number = entry.number, previous = entry.previous, hash = entry.hash
        WHERE id = entry.id;
    UPDATE tenancy_audithead SET number = entry.number, hash = entry.hash WHERE account_id = entry.account_id;
END $$
"""
CHAIN = f"""
CREATE FUNCTION tenancy_audit_chain() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    whose uuid := NEW.account_id;
    {SCOPED}
BEGIN
    {ENTER}
    PERFORM tenancy_audit_append(NEW);
    {LEAVE}
    RETURN NULL;
END $$
"""
GUARD = """
CREATE FUNCTION tenancy_audit_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    doing text := current_setting('engram.audit', true);
    is_owner boolean := current_user = (SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid = TG_RELID);
    chained text[] := '{number,previous,hash}';
    ids text[] := '{project_id,actor_id}';
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.number := NULL; NEW.previous := NULL; NEW.hash := NULL;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF is_owner AND doing = 'chaining' AND OLD.number IS NULL
           AND to_jsonb(NEW) - chained = to_jsonb(OLD) - chained THEN
            RETURN NEW;
        END IF;
        -- The release before this one forgets the ids of what it deletes. They stay.
        IF to_jsonb(NEW) - ids = to_jsonb(OLD) - ids AND num_nulls(NEW.project_id, NEW.actor_id) > 0 THEN
            RETURN NULL;
        END IF;
    END IF;
    IF TG_OP = 'DELETE' AND is_owner AND doing = 'trimming' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$
"""
# Retention takes whole beginnings of the chain, none of them younger than 30 days, and remembers where it cut.
TRIM = f"""
CREATE FUNCTION tenancy_audit_trim(whose uuid, before timestamptz) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last tenancy_auditevent;
    gone bigint;
    {SCOPED}
BEGIN
    {ENTER}
    PERFORM 1 FROM tenancy_audithead WHERE account_id = whose FOR UPDATE;
    -- Up to the first young one: an entry says of itself when it was made, and the newest must not take all along.
    SELECT * INTO last FROM tenancy_auditevent
        WHERE account_id = whose AND number < coalesce(
              (SELECT min(number) FROM tenancy_auditevent
                WHERE account_id = whose AND created_at >= least(before, now() - interval '30 days')),
              9223372036854775807)
        ORDER BY number DESC LIMIT 1;
    IF last.number IS NOT NULL THEN
        PERFORM set_config('engram.audit', 'trimming', true);
        DELETE FROM tenancy_auditevent WHERE account_id = whose AND number <= last.number;
        GET DIAGNOSTICS gone = ROW_COUNT;
        UPDATE tenancy_audithead SET trimmed_number = last.number, trimmed_hash = last.hash
            WHERE account_id = whose;
    END IF;
    {LEAVE}
    RETURN coalesce(gone, 0);
END $$
"""  # noqa: S608  # the parts are above
TRIGGERS = """
CREATE TRIGGER append_only BEFORE INSERT OR UPDATE OR DELETE ON tenancy_auditevent
    FOR EACH ROW EXECUTE FUNCTION tenancy_audit_guard();
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON tenancy_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION tenancy_audit_guard();
CREATE CONSTRAINT TRIGGER chain AFTER INSERT ON tenancy_auditevent DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION tenancy_audit_chain();
REVOKE ALL ON FUNCTION tenancy_audit_append(tenancy_auditevent), tenancy_audit_chain() FROM PUBLIC;
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'engram_app') THEN
        REVOKE ALL ON FUNCTION tenancy_audit_trim(uuid, timestamptz) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION tenancy_audit_trim(uuid, timestamptz) TO engram_app;
    END IF;
END $$;
"""
# Entries that are there already are chained in the order in which they were written.
BACKFILL = f"""
DO $$
DECLARE
    whose uuid;
    entry tenancy_auditevent;
    {SCOPED}
BEGIN
    FOR whose IN SELECT id FROM tenancy_account ORDER BY id LOOP
        {ENTER}
        FOR entry IN SELECT * FROM tenancy_auditevent WHERE account_id = whose AND number IS NULL
                     ORDER BY created_at, id LOOP
            PERFORM tenancy_audit_append(entry);
        END LOOP;
    END LOOP;
    {LEAVE}
END $$
"""  # noqa: S608
WALL = "account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid"
# The heads of chains are written by the functions alone, for whoever has the role that `make run` makes.
RIGHTS = """
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'engram_app') THEN
        REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON tenancy_audithead FROM engram_app;
        REVOKE DELETE, TRUNCATE ON tenancy_auditevent FROM engram_app;
    END IF;
END $$
"""


def unlinked(to):
    """Ids outlive what they name: an entry about a deleted project or login stays as it was."""
    return models.ForeignKey(
        db_constraint=False,
        null=True,
        on_delete=django.db.models.deletion.DO_NOTHING,
        related_name="+",
        to=to,
    )


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0009_people")]

    operations = [
        migrations.AlterField(
            "auditevent",
            "account",
            models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="tenancy.account",
            ),
        ),
        migrations.AlterField("auditevent", "project", unlinked("tenancy.project")),
        migrations.AlterField("auditevent", "actor", unlinked(settings.AUTH_USER_MODEL)),
        migrations.AddField(
            "auditevent",
            "actor_label",
            models.CharField(blank=True, max_length=40, db_default="", default=""),
        ),
        migrations.AddField(
            "auditevent", "address", models.CharField(blank=True, max_length=45, db_default="", default="")
        ),
        migrations.AddField(
            "auditevent", "request_id", models.CharField(blank=True, max_length=40, db_default="", default="")
        ),
        migrations.AddField("auditevent", "number", models.BigIntegerField(editable=False, null=True)),
        migrations.AddField("auditevent", "previous", models.BinaryField(null=True)),
        migrations.AddField("auditevent", "hash", models.BinaryField(null=True)),
        migrations.AlterField(
            "auditevent",
            "detail",
            models.JSONField(
                default=dict, db_default={}, encoder=django.core.serializers.json.DjangoJSONEncoder
            ),
        ),
        migrations.AddConstraint(
            "auditevent",
            models.UniqueConstraint(fields=["account", "number"], name="one_audit_entry_per_number"),
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "account",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="tenancy.account",
                    ),
                ),
                ("number", models.BigIntegerField()),
                ("hash", models.BinaryField()),
                ("trimmed_number", models.BigIntegerField()),
                ("trimmed_hash", models.BinaryField()),
            ],
            options={"default_manager_name": "every"},
            managers=[("every", django.db.models.manager.Manager())],
        ),
        migrations.RunSQL(
            [
                "ALTER TABLE tenancy_audithead ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE tenancy_audithead FORCE ROW LEVEL SECURITY",
                f"CREATE POLICY tenant ON tenancy_audithead USING ({WALL}) WITH CHECK ({WALL})",
                *(TEXT, HASH, APPEND, CHAIN, GUARD, TRIM),
                BACKFILL,
                TRIGGERS,
                RIGHTS,
            ],
            [
                "DROP TRIGGER chain ON tenancy_auditevent",
                "DROP TRIGGER no_truncate ON tenancy_auditevent",
                "DROP TRIGGER append_only ON tenancy_auditevent",
                "DROP FUNCTION tenancy_audit_trim, tenancy_audit_guard, tenancy_audit_chain, tenancy_audit_append",
                "DROP FUNCTION tenancy_audit_hash, tenancy_audit_text",
            ],
        ),
    ]
