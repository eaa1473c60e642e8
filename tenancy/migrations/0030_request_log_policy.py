"""The request log's policy reads the tenant once a query, not once a row: charts and searches of the log read 40,000 rows.

A setting in a subquery of its own is read when the query begins. The rows that the policy shows are the same, and what
may be written is checked as before. The log's parts have policies of their own, which only count for who reads a part by
its name.
"""

from django.db import migrations

ACCOUNT = "NULLIF(current_setting('engram.account_id', true), '')::uuid"
PROJECT = "NULLIF(current_setting('engram.project_id', true), '')::uuid"
WHOLE_ACCOUNT = "current_setting('engram.scope', true) = 'account'"
# Everybody waits behind who waits to change a policy.
SHORT_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '60s'"


def show(account, project, whole_account):
    return (
        "ALTER POLICY tenant ON tenancy_requestlog USING"
        f" (account_id = {account} AND (project_id IS NULL OR project_id = {project} OR {whole_account}))"
    )


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0029_request_log_figures")]

    operations = [
        migrations.RunSQL(SHORT_LOCK_TIMEOUT, SHORT_LOCK_TIMEOUT),
        migrations.RunSQL(
            show(f"(SELECT {ACCOUNT})", f"(SELECT {PROJECT})", f"(SELECT {WHOLE_ACCOUNT})"),
            show(ACCOUNT, PROJECT, WHOLE_ACCOUNT),
        ),
    ]
