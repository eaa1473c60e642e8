"""A read that costs nothing to refuse late takes its place in the quota and settles it by one statement, at its end."""

from django.db import migrations

# One line: as `tenancy_reserve` and `tenancy_settle` after each other, with what they set and set back. `taken` is null
# when the month has no row: who reserves makes it.
PAY = """
CREATE FUNCTION tenancy_pay(
    line uuid, of_account uuid, of_project uuid, with_key uuid, on_day date, of_meter text, much bigint,
    allowance bigint, about text, is_part boolean,
    OUT refused boolean, OUT taken bigint, OUT granted bigint
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    before text[] := ARRAY[current_setting('engram.account_id', true), current_setting('engram.project_id', true),
                           current_setting('engram.scope', true)];
    first_day date := date_trunc('month', on_day)::date;
BEGIN
    PERFORM set_config('engram.account_id', of_account::text, true), set_config('engram.project_id', '', true),
            set_config('engram.scope', 'account', true);
    IF NOT is_part THEN
        PERFORM set_config('synchronous_commit', 'off', true);
    END IF;
    UPDATE tenancy_quotamonth kept SET taken = kept.taken + much
     WHERE kept.account_id = of_account AND kept.meter = of_meter AND kept.month = first_day
       AND kept.taken + much <= allowance + kept.granted
    RETURNING kept.taken, kept.granted INTO taken, granted;
    refused := NOT FOUND;
    IF refused THEN
        SELECT kept.taken, kept.granted INTO taken, granted FROM tenancy_quotamonth kept
         WHERE kept.account_id = of_account AND kept.meter = of_meter AND kept.month = first_day;
    ELSE
        INSERT INTO tenancy_reservation
               (id, account_id, project_id, api_key_id, meter, day, amount, used, subject, reserved_at)
        VALUES (line, of_account, of_project, with_key, of_meter, on_day, much, much, about, now());
    END IF;
    PERFORM set_config('engram.account_id', coalesce(before[1], ''), true),
            set_config('engram.project_id', coalesce(before[2], ''), true),
            set_config('engram.scope', coalesce(before[3], ''), true);
END $$
"""
NO_PAY = "DROP FUNCTION tenancy_pay(uuid, uuid, uuid, uuid, date, text, bigint, bigint, text, boolean)"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0015_operators")]

    operations = [migrations.RunSQL(PAY, NO_PAY)]
