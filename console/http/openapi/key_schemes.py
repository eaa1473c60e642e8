"""How a request shows its key; read by the settings, so that nothing of Django is needed."""

from __future__ import annotations

KEY_SCHEMES = {
    "bearer": {
        "type": "http",
        "scheme": "bearer",
        "description": "`Authorization: Bearer mpg-…` with a key of a project.",
    },
    "token": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "`Authorization: Token mpg-…`: the word Token, a blank, and a key of a project.",
    },
}
