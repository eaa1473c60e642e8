"""Schedule of the periodic tasks, and the Celery application of beat, which sends their names.

It imports neither Django nor the tasks, which would cost 130 MB and three seconds of start-up.
"""

from __future__ import annotations

import logging
from logging.config import dictConfig
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from console.configuration import logs
from console.worker import celery_settings

# Without Celery's own hook for Django, which loads all apps.
app = Celery("engram", fixups=[], set_as_current=False)
app.conf.update(celery_settings.build_celery_settings())
app.conf.beat_schedule = {
    "clear-stored-answers": {"task": "tenancy.clear_stored_answers", "schedule": 3600.0},
    "clear-audit-logs": {"task": "tenancy.clear_audit_logs", "schedule": 86_400.0},
    "clear-invitations": {"task": "tenancy.clear_invitations", "schedule": 86_400.0},
    "clear-request-logs": {"task": "tenancy.clear_request_logs", "schedule": 3600.0},
    "end-visits": {"task": "tenancy.end_visits", "schedule": 60.0},
    "fold-usage": {"task": "tenancy.fold_usage", "schedule": 60.0},
    "fold-usage-again": {"task": "tenancy.fold_usage_again", "schedule": 300.0},
    "fold-all-usage": {"task": "tenancy.fold_all_usage", "schedule": 3600.0},
    "recount-stored": {"task": "tenancy.recount_stored", "schedule": 3600.0},
    "read-subscriptions": {"task": "tenancy.read_subscriptions", "schedule": 60.0},
    "refund": {"task": "memories.refund", "schedule": 60.0},
    "remind-of-keys": {"task": "tenancy.remind_of_keys", "schedule": 3600.0},
    "send-key-mails": {"task": "tenancy.send_key_mails", "schedule": 60.0},
    "recount-messages": {"task": "skills.recount_messages", "schedule": 300.0},
    "sweep-files": {"task": "memories.sweep_files", "schedule": 3600.0},
    "sweep-knowledge": {"task": "knowledgebase.sweep", "schedule": 300.0},
    "sweep-knowledge-files": {"task": "knowledgebase.sweep_files", "schedule": 3600.0},
    "sweep-skill-files": {"task": "skills.sweep_files", "schedule": 3600.0},
    "continue-deletions": {"task": "console.continue_deletions", "schedule": 60.0},
    "apply-memory-policies": {"task": "memories.apply_policies", "schedule": 3600.0},
    "clear-sessions": {"task": "console.clear_sessions", "schedule": 3600.0},
    "clear-oauth": {"task": "console.clear_oauth", "schedule": 3600.0},
    "clear-tasks": {"task": "memories.clear_tasks", "schedule": 3600.0},
    "clear-erased-cubes": {"task": "memories.clear_erased_cubes", "schedule": 3600.0},
    "clear-messages": {"task": "memories.clear_messages", "schedule": 3600.0},
    "purge-trash": {"task": "memories.purge_trash", "schedule": 3600.0},
}


@setup_logging.connect
def _set_up_logging(loglevel: int, **_: Any) -> None:
    dictConfig(logs.SETTINGS)
    logging.getLogger().setLevel(loglevel)
