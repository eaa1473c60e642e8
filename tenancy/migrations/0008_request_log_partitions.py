"""Request logs by day, so that retention drops whole days instead of deleting rows.

Nothing is copied: what is there already becomes the first part of the new table, up to the end of the day of the
migration. The application's role makes and drops no tables; it may call one function of the owner's, which makes the
days to come and drops those past their time, and can do nothing else.

What no day is there for lies in a part of its own until its day is made, so that nothing is lost while nobody
makes days.
"""

from django.db import migrations

CONDITION = """
    account_id = NULLIF(current_setting('engram.account_id', true), '')::uuid
    AND (project_id IS NULL
         OR project_id = NULLIF(current_setting('engram.project_id', true), '')::uuid
         OR current_setting('engram.scope', true) = 'account')
"""

FOREIGN = [("account", "account"), ("project", "project"), ("api_key", "apikey")]
NAMES = ["newest", "by_endpoint", "by_request", "by_subject"]
INDEXES = [
    "CREATE INDEX request_log_newest ON tenancy_requestlog (project_id, created_at DESC)",
    "CREATE INDEX request_log_by_endpoint ON tenancy_requestlog (project_id, endpoint, created_at DESC)",
    "CREATE INDEX request_log_by_request ON tenancy_requestlog (project_id, request_id)",
    "CREATE INDEX request_log_by_subject ON tenancy_requestlog USING gin (subjects)",
]
KEYS = [
    f"ALTER TABLE tenancy_requestlog ADD CONSTRAINT request_log_{name} FOREIGN KEY ({name}_id)"
    f" REFERENCES tenancy_{table} (id) DEFERRABLE INITIALLY DEFERRED"
    for name, table in FOREIGN
]


def wall(table):
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY tenant ON {table} USING ({CONDITION}) WITH CHECK ({CONDITION})",
    ]


# What takes long is done beforehand, while everybody writes on.
PREPARE = [
    # Of a run that broke off.
    "ALTER TABLE tenancy_requestlog DROP CONSTRAINT IF EXISTS request_log_earlier",
    # Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
    "SET lock_timeout = '30min'",
    "DROP INDEX CONCURRENTLY IF EXISTS request_log_earlier_key",
    "CREATE UNIQUE INDEX CONCURRENTLY request_log_earlier_key ON tenancy_requestlog (id, created_at)",
    "RESET lock_timeout",
    """
    DO $$ BEGIN
        EXECUTE format('ALTER TABLE tenancy_requestlog ADD CONSTRAINT request_log_earlier'
                       ' CHECK (created_at < %L) NOT VALID', (now() AT TIME ZONE 'UTC')::date + 1);
    END $$
    """,
    "ALTER TABLE tenancy_requestlog VALIDATE CONSTRAINT request_log_earlier",
]
SPLIT = [
    # A run that gives up here leaves a table that takes no rows of tomorrow: it waits rather longer.
    "SET LOCAL lock_timeout = '60s'",
    "ALTER TABLE tenancy_requestlog RENAME TO tenancy_requestlog_earlier",
    *[f"ALTER INDEX request_log_{name} RENAME TO request_log_earlier_{name}" for name in NAMES],
    "ALTER TABLE tenancy_requestlog_earlier DROP CONSTRAINT tenancy_requestlog_pkey",
    "ALTER TABLE tenancy_requestlog_earlier ADD PRIMARY KEY USING INDEX request_log_earlier_key",
    "CREATE TABLE tenancy_requestlog"
    " (LIKE tenancy_requestlog_earlier INCLUDING DEFAULTS, PRIMARY KEY (id, created_at))"
    " PARTITION BY RANGE (created_at)",
    *INDEXES,
    *KEYS,
    *wall("tenancy_requestlog"),
    """
    DO $$ BEGIN
        EXECUTE format('ALTER TABLE tenancy_requestlog ATTACH PARTITION tenancy_requestlog_earlier'
                       ' FOR VALUES FROM (MINVALUE) TO (%L)', (now() AT TIME ZONE 'UTC')::date + 1);
    END $$
    """,
    "ALTER TABLE tenancy_requestlog_earlier DROP CONSTRAINT request_log_earlier",
    "CREATE TABLE tenancy_requestlog_rest PARTITION OF tenancy_requestlog DEFAULT",
    *wall("tenancy_requestlog_rest"),
]
# All days come back into one table, row by row.
JOIN = [
    "ALTER TABLE tenancy_requestlog RENAME TO tenancy_requestlog_parts",
    *[f"ALTER INDEX request_log_{name} RENAME TO request_log_parts_{name}" for name in NAMES],
    "CREATE TABLE tenancy_requestlog (LIKE tenancy_requestlog_parts INCLUDING DEFAULTS)",
    "ALTER TABLE tenancy_requestlog_parts NO FORCE ROW LEVEL SECURITY",
    "INSERT INTO tenancy_requestlog SELECT * FROM tenancy_requestlog_parts",
    "DROP TABLE tenancy_requestlog_parts",
    "ALTER TABLE tenancy_requestlog ADD CONSTRAINT tenancy_requestlog_pkey PRIMARY KEY (id)",
    *INDEXES,
    *KEYS,
    *wall("tenancy_requestlog"),
]

# From when until when each part of the table reaches; not the one for the rest.
PARTS = r"""
    SELECT child.relname AS name,
           coalesce(substring(pg_get_expr(child.relpartbound, child.oid) from $re$FROM \('([^']+)'\)$re$)::timestamptz,
                    '-infinity') AS begins,
           substring(pg_get_expr(child.relpartbound, child.oid) from $re$TO \('([^']+)'\)$re$)::timestamptz AS ends
      FROM pg_inherits JOIN pg_class child ON child.oid = pg_inherits.inhrelid
     WHERE pg_inherits.inhparent = 'tenancy_requestlog'::regclass
       AND pg_get_expr(child.relpartbound, child.oid) <> 'DEFAULT'
"""
# A day is one step with a short patience: who waits for a lock makes everybody else wait behind him. What came for the
# day while there was no table for it moves in; the wall stands again before anybody can look.
MAKE_DAY = f"""
CREATE FUNCTION tenancy_make_log_day(wanted date) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    part text := 'tenancy_requestlog_' || to_char(wanted, 'YYYYMMDD');
    first timestamptz := wanted::timestamp AT TIME ZONE 'UTC';
    last timestamptz := (wanted + 1)::timestamp AT TIME ZONE 'UTC';
    today date := (now() AT TIME ZONE 'UTC')::date;
BEGIN
    IF wanted IS NULL OR wanted > today + 60 OR wanted < today - 400
       OR EXISTS (SELECT FROM ({PARTS}) there WHERE there.begins < last AND there.ends > first) THEN
        RETURN false;
    END IF;
    EXECUTE format('CREATE TABLE %I (LIKE tenancy_requestlog INCLUDING DEFAULTS INCLUDING INDEXES)', part);
    ALTER TABLE tenancy_requestlog_rest NO FORCE ROW LEVEL SECURITY;
    EXECUTE format('WITH moved AS (DELETE FROM tenancy_requestlog_rest WHERE created_at >= %L AND created_at < %L'
                   ' RETURNING *) INSERT INTO %I SELECT * FROM moved', first, last, part);
    ALTER TABLE tenancy_requestlog_rest FORCE ROW LEVEL SECURITY;
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format($policy$CREATE POLICY tenant ON %I USING ({CONDITION}) WITH CHECK ({CONDITION})$policy$, part);
    EXECUTE format('ALTER TABLE tenancy_requestlog ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                   part, first, last);
    RETURN true;
EXCEPTION WHEN lock_not_available THEN
    RETURN false;
END $$
"""  # noqa: S608  # no word of it comes from outside
# Whole days that ended before that moment; never one of the last week. Which days went.
DROP_DAYS = f"""
CREATE FUNCTION tenancy_drop_log_days(before timestamptz) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '500ms' AS $$
DECLARE
    part record;
    gone text[] := '{{}}';
BEGIN
    FOR part IN SELECT there.name FROM ({PARTS}) there
                 WHERE there.ends <= least(before, now() - interval '7 days') ORDER BY there.ends LOOP
        EXECUTE format('DROP TABLE %I', part.name);
        gone := gone || part.name;
    END LOOP;
    RETURN gone;
EXCEPTION WHEN lock_not_available THEN
    RETURN '{{}}';
END $$
"""  # noqa: S608
# An outside database may have other roles: then whoever may connect may call them.
RIGHTS = """
DO $$ BEGIN
    IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'engram_app') THEN
        REVOKE ALL ON FUNCTION tenancy_make_log_day(date), tenancy_drop_log_days(timestamptz) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION tenancy_make_log_day(date), tenancy_drop_log_days(timestamptz) TO engram_app;
    END IF;
END $$
"""
FIRST_DAYS = """
SELECT tenancy_make_log_day((now() AT TIME ZONE 'UTC')::date + ahead) FROM generate_series(1, 7) AS ahead
"""


def run(statements):
    def step(apps, schema_editor):
        for statement in statements:
            schema_editor.execute(statement, params=None)

    return step


class Migration(migrations.Migration):
    # The index is built without a transaction; what renames tables is a transaction of its own.
    atomic = False
    dependencies = [("tenancy", "0007_quotas")]

    operations = [
        migrations.RunSQL(PREPARE, migrations.RunSQL.noop),
        migrations.RunPython(run(SPLIT), run(JOIN), atomic=True),
        migrations.RunSQL(
            [MAKE_DAY, DROP_DAYS, RIGHTS, FIRST_DAYS],
            "DROP FUNCTION tenancy_make_log_day(date); DROP FUNCTION tenancy_drop_log_days(timestamptz)",
        ),
    ]
