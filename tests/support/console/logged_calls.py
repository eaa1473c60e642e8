"""What tests of logged calls share: their pages, and the commands on it, run in a shell."""

from __future__ import annotations

import html
import json
import re
import subprocess
from typing import Any

from django.test import Client

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Tenant


def load_log_page(tenant: Tenant, request_id: str, client: Client | None = None) -> str:
    """As its owner sees it, in the browser that is named or in a new one."""
    answer = (client or sign_in_owner(tenant)).get(f"/p/{tenant.project_id}/logs/{request_id}/")
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


def command_in(page: str, tenant: Tenant, name: str = "corrected-curl") -> str:
    match = re.search(rf'id="{name}"[^>]*>(.*?)</pre>', page, re.DOTALL)
    assert match, page
    command = re.sub("<[^>]+>", "", match[1]).replace("YOUR_API_KEY", tenant.key)
    return re.sub("http://[^/ ]+", tenant.url, command, count=1)


def run(command: str) -> Any:
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    return json.loads(ran.stdout)
