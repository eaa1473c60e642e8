"""How results and the log name the rules that worked in a model's place."""

from __future__ import annotations

import logging

log = logging.getLogger(__name__)

# Of what results keep of who made them: the width of `Memory.extracted_by`.
LONGEST_BY = 120
REPLACED = "model_replaced_by_rules"


def report_replacement(rules: str, model: str, error: Exception, event: str = REPLACED) -> str:
    """Log that the model failed with one of `MODEL_ERRORS`. Return who works instead, and in brackets why."""
    log.warning(event, extra={"reason": str(error), "provider": model})
    return f"{rules} (remote: {error})"[:LONGEST_BY]
