"""J13: the connection of an open page is lost and comes back; every request is listed, and none twice."""

from __future__ import annotations

from playwright.sync_api import Browser, WebSocketRoute, expect

from tenancy.isolation.scoping import tenant_scope
from tenancy.models import RequestLog
from tests.support.api_client import Api, Tenant
from tests.support.console.browser import sign_in
from tests.support.console.journeys import visit
from tests.support.waiting import wait_until

SERVICE_RESTART = 1012  # as a web server closes sockets when it stops
# A page without a connection asks for everything again and again, and tries to connect at least this often.
POLLED, TRIED = "00:06", "01:05"


class Line:
    """The page's way to the server, which can be cut and mended."""

    def __init__(self) -> None:
        self.is_cut = False
        self.sockets: list[WebSocketRoute] = []

    def connect(self, socket: WebSocketRoute) -> None:
        if self.is_cut:
            socket.close(code=SERVICE_RESTART)
        else:
            self.sockets.append(socket)
            socket.connect_to_server()

    def cut(self) -> None:
        self.is_cut = True
        for socket in self.sockets:
            socket.close(code=SERVICE_RESTART)
        self.sockets.clear()

    def mend(self) -> None:
        self.is_cut = False


def count_stored(tenant: Tenant) -> int:
    with tenant_scope(tenant.project):
        return RequestLog.objects.within(tenant.project).count()


def test_a_page_that_loses_its_connection_misses_no_request_and_doubles_none(
    chromium_browser: Browser, console_url: str, tenant: Tenant, api: Api
) -> None:
    line, asked = Line(), 0
    with visit(chromium_browser, console_url) as page:
        page.clock.install()
        page.route_web_socket("**/ws/p/**", line.connect)
        sign_in(page, tenant)
        page.goto(f"/p/{tenant.project_id}/logs/")
        rows = page.get_by_role("table", name="Requests, newest first").locator("tbody tr")

        def ask(count: int) -> None:
            nonlocal asked
            for _ in range(count):
                asked += 1
                api.search("kim", f"question {asked}")

        state = page.locator("live-dot")
        expect(state).to_have_attribute("data-state", "live")
        ask(2)
        expect(rows).to_have_count(2)

        line.cut()
        expect(state).to_have_attribute("data-state", "polling")
        expect(state).to_have_text("Reconnecting")
        ask(3)
        wait_until(lambda: count_stored(tenant) == asked)
        page.clock.fast_forward(POLLED)
        expect(rows).to_have_count(5)

        line.mend()
        page.clock.fast_forward(TRIED)
        expect(state).to_have_attribute("data-state", "live")
        ask(2)
        expect(rows).to_have_count(7)
        ids = rows.evaluate_all("all => all.map(row => row.id)")
        assert len(set(ids)) == asked
