"""What the cards of an account's projects say of them."""

from __future__ import annotations

import re

from tests.support.accounts.people import sign_in_owner
from tests.support.api_client import Api, Tenant
from tests.support.tasks.request_log import logged_row, store_rows


def test_a_card_counts_paid_requests_and_those_that_the_product_itself_made(tenant: Tenant, api: Api) -> None:
    api.search("kim", "Where do I live?")
    logged_row(tenant.project, "search/memory")
    store_rows(tenant, {"request_id": "of the product"})

    cards = sign_in_owner(tenant).get(f"/a/{tenant.project.account_id}/").content.decode()

    assert re.search(r"Requests, 7 d</dt><dd[^>]*>2</dd>", cards)
