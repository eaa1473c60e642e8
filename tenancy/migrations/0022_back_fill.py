"""How migrations change rows of tenants: `CALL tenancy_back_fill('UPDATE ...')`.

Forced row-level security hides all rows from the role that migrates, so that a plain UPDATE finds none and says
nothing. The procedure enters one account after the other, as the application does: no wall is taken down, no table is
locked, and it needs no right that the owner of a managed database lacks.

The statement is one INSERT, UPDATE or DELETE. It is given the account as $1, changes at most some thousand rows at a
time (LIMIT), and does not find again what it has changed: it is repeated until it changes nothing, and each time is
committed by itself. So it must be called outside a transaction (`atomic = False`), may break off anywhere, and
goes on when it is run again. A lock that is not given in time is asked for again.
"""

from django.db import migrations

FORWARDS = """
CREATE PROCEDURE tenancy_back_fill(statement text) LANGUAGE plpgsql AS $$
DECLARE
    last uuid := '00000000-0000-0000-0000-000000000000';
    whose uuid;
    changed bigint;
    refused integer := 0;
BEGIN
    LOOP
        SELECT id INTO whose FROM tenancy_account WHERE id > last ORDER BY id LIMIT 1;
        EXIT WHEN whose IS NULL;
        LOOP
            -- Of this transaction only: the wall stands again after it, however it ends.
            PERFORM set_config('engram.account_id', whose::text, true), set_config('engram.scope', 'account', true);
            BEGIN
                EXECUTE statement USING whose;
                GET DIAGNOSTICS changed = ROW_COUNT;
                refused := 0;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                refused := refused + 1;
                IF refused = 20 THEN
                    RAISE;
                END IF;
                changed := 1;
            END;
            COMMIT;
            EXIT WHEN changed = 0;
        END LOOP;
        last := whose;
    END LOOP;
END $$
"""
CLOSED = "REVOKE ALL ON PROCEDURE tenancy_back_fill(text) FROM PUBLIC"


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0021_key_peppers")]

    operations = [migrations.RunSQL([FORWARDS, CLOSED], "DROP PROCEDURE tenancy_back_fill(text)")]
