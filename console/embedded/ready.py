"""Ask the started web server whether it is ready."""

import http.client

from console.configuration import environment


def find_missing() -> str:
    """Empty when ready, else what is missing."""
    connection = http.client.HTTPConnection(_get_own_host(), environment.read_port(), timeout=5)
    try:
        connection.request("GET", "/readyz", headers={"Host": "localhost"})
        answer = connection.getresponse()
        return "" if answer.status == 200 else answer.read(2000).decode(errors="replace")
    except (OSError, http.client.HTTPException) as error:
        return f"the web server does not answer ({error})"
    finally:
        connection.close()


def is_answering(seconds: float) -> bool:
    """Return whether the web process does anything at all, within so many seconds."""
    connection = http.client.HTTPConnection(_get_own_host(), environment.read_port(), timeout=seconds)
    try:
        connection.request("GET", "/healthz", headers={"Host": "localhost"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _get_own_host() -> str:
    wildcards = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
    return wildcards.get(environment.read_host(), environment.read_host())
