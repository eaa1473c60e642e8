"""What members see of their quota: the numbers that are enforced."""

from __future__ import annotations

import re

from django.test import Client
from playwright.sync_api import Page, expect

from console.management.commands.plan_limits import as_markdown
from console.pages.account.usage.model_use import PURPOSES
from knowledgebase.processing import parse_file
from memories.ingest import attachments
from skills.models import SessionMessage
from skills.sessions.sessions import NewSession, create_session
from tenancy.isolation.scoping import Scope, tenant_scope
from tenancy.keys.keys import create_key
from tenancy.metering.meters import Meter
from tenancy.metering.model_usage import Spent, record_model_usage
from tenancy.metering.usage import get_today
from tenancy.models import Plan, Project, User
from tenancy.models.usage import SubjectUsage
from tests.support.accounts.plans import give_plan, standing
from tests.support.api_client import Api, Tenant
from tests.support.console.downloads import read_streamed
from tests.support.project import PROJECT_ROOT
from tests.support.waiting import look_until

ASK = {"user_id": "kim", "query": "Where do I live?"}


def sign_in_browser(tenant: Tenant) -> Client:
    client = Client(HTTP_HOST="localhost")
    client.force_login(User.objects.get(email=tenant.email), "django.contrib.auth.backends.ModelBackend")
    return client


def load_page(tenant: Tenant, query: str = "", name: str = "usage") -> str:
    answer = sign_in_browser(tenant).get(f"/a/{tenant.project.account_id}/{name}/{query}")
    assert answer.status_code == 200
    return read_streamed(answer).decode()


def cells(html: str, row: str) -> list[str]:
    """The texts of the row that begins so, in the first table that has one."""
    for row_html in re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL):
        texts = [
            " ".join(re.sub(r"<[^>]*>", " ", cell).split())
            for cell in re.findall(r"<td.*?>(.*?)</td>", row_html, re.DOTALL)
        ]
        if texts and texts[0] == row:
            return texts
    raise AssertionError(f"no row {row!r}")


def read_text(html: str) -> str:
    """What a person reads of a page."""
    return " ".join(re.sub(r"<[^>]+>", " ", html).replace("&#x27;", "'").split())


def keep(tenant: Tenant, size: int) -> None:
    """Stores so many bytes, in a session of which nothing is made."""
    session, _ = create_session(tenant.project, NewSession())
    with tenant_scope(tenant.project):
        SessionMessage.objects.create(
            account_id=tenant.project.account_id,
            project=tenant.project,
            session=session,
            position=0,
            role="user",
            parts="x" * (size - 6),
            tokens=1,
        )


def test_the_page_shows_what_is_enforced(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=4)
    for _ in range(3):
        api.call("search/memory", ASK)
    api.call("search/memory", {})

    shown = cells(load_page(tenant), "Searches")

    assert shown[1].split()[0] == "3"
    assert shown[2:4] == ["4", "1"]
    api.call("search/memory", ASK)
    assert api.call("search/memory", ASK).json()["code"] == 40304
    assert cells(load_page(tenant), "Searches")[3] == "0"


def test_calls_that_failed_stand_apart_as_not_charged(api: Api, tenant: Tenant) -> None:
    api.call("search/memory", ASK)
    for _ in range(2):
        api.call("search/memory", {})

    shown = look_until(lambda: history(tenant, "Searches"), lambda cells: "2" in cells)
    assert shown == ["Searches", "1", "2"]


def history(tenant: Tenant, row: str, query: str = "") -> list[str]:
    html = load_page(tenant, query)
    return cells(html[html.index('id="usage"') :], row)


def test_usage_can_be_looked_at_by_project_key_day_and_end_user(api: Api, tenant: Tenant) -> None:
    second = Project.objects.create(account=tenant.project.account, name="Second project")
    with Api(tenant.url, create_key(second, "Batch").plaintext) as theirs:
        theirs.call("search/memory", {**ASK, "user_id": "lee"})
    for _ in range(2):
        api.call("search/memory", ASK)

    assert history(tenant, "Second project", "?by=project")[1] == "1"
    assert history(tenant, "default", "?by=project")[1] == "2"
    assert history(tenant, "Second project / Batch", "?by=key")[1] == "1"
    assert history(tenant, "kim", "?by=user") == ["kim", "2"]
    assert history(tenant, "lee", f"?by=user&project={second.pk}") == ["lee", "1"]
    assert history(tenant, "Searches", "?user=kim")[1] == "2"
    assert "lee" not in load_page(tenant, f"?by=user&project={tenant.project_id}")


def test_of_many_end_users_those_who_use_most_are_shown_and_the_others_counted(
    api: Api, tenant: Tenant
) -> None:
    project = tenant.project
    with tenant_scope(project):
        SubjectUsage.objects.bulk_create(
            SubjectUsage(
                account_id=project.account_id,
                project=project,
                subject=f"end_user:user {number:03}",
                meter=Meter.SEARCH,
                day=get_today(),
                used=number,
            )
            for number in range(1, 121)
        )
    api.call("search/memory", {**ASK, "user_id": "user 120"})  # in the journal, not in the days yet

    assert history(tenant, "user 120", "?by=user") == ["user 120", "121"]
    page = load_page(tenant, "?by=user")
    shown = re.findall(r"user \d{3}", page)
    assert list(dict.fromkeys(shown)) == [f"user {number:03}" for number in range(120, 20, -1)]
    assert "And 20 more" in page


def test_a_filter_that_is_made_up_or_anothers_filters_nothing(
    api: Api, tenant: Tenant, stranger: Tenant
) -> None:
    api.call("search/memory", ASK)

    for query in (f"?project={stranger.project_id}", "?project=x&by=nothing&range=never&api=none&key=1"):
        assert history(tenant, "Searches", query)[1] == "1"


def test_end_users_are_shown_for_all_keys_though_one_is_chosen(api: Api, tenant: Tenant) -> None:
    other = create_key(tenant.project, "Batch").key
    api.call("search/memory", ASK)

    assert history(tenant, "kim", f"?by=user&key={other.pk}") == ["kim", "1"]
    page = load_page(tenant, f"?user=kim&key={other.pk}")
    assert re.search(rf'<option value="{other.pk}"\s*>', page)  # not the chosen one any more
    assert "kim" in load_page(tenant, f"?by=user&format=csv&key={other.pk}")


def test_usage_of_another_account_is_nowhere(tenant: Tenant, stranger: Tenant) -> None:
    for name in ("usage", "limits"):
        answer = sign_in_browser(tenant).get(f"/a/{stranger.project.account_id}/{name}/")
        assert answer.status_code == 404


def test_every_page_says_when_a_quota_is_nearly_used_up(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=5)
    browser = sign_in_browser(tenant)

    def says() -> str:
        return browser.get(f"/p/{tenant.project_id}/memories/").content.decode()

    for _ in range(3):
        api.call("search/memory", ASK)
    assert "notice-bar" not in says()
    api.call("search/memory", ASK)
    assert "80% of this month&#x27;s quota is used: Searches" in says()
    api.call("search/memory", ASK)
    assert "used up: Searches" in says()


def test_a_notice_can_be_put_away_for_a_day(signed_in: Page, api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=1)
    api.call("search/memory", ASK)
    signed_in.goto(f"/p/{tenant.project_id}/memories/")
    notice = signed_in.get_by_text("quota is used up")
    expect(notice).to_be_visible()

    signed_in.get_by_role("button", name="Hide for a day").click()

    expect(notice).to_have_count(0)
    signed_in.goto(f"/p/{tenant.project_id}/logs/")
    expect(signed_in.get_by_role("heading", level=1)).to_be_visible()
    expect(notice).to_have_count(0)


def test_filters_change_the_chart_without_a_reload(signed_in: Page, api: Api, tenant: Tenant) -> None:
    for _ in range(3):
        api.call("search/memory", ASK)
    signed_in.goto(f"/a/{tenant.project.account_id}/usage/")
    expect(signed_in.get_by_text("3 in all")).to_be_visible()

    signed_in.get_by_label("API", exact=True).select_option("rerank")

    expect(signed_in.get_by_text("0 in all")).to_be_visible()
    expect(signed_in).to_have_url(re.compile(r"api=rerank"))


def legend(page: str) -> list[tuple[str, str]]:
    """The series of the chart with their sums."""
    return re.findall(r'aria-hidden="true"></span>(.*?) <span class="num muted">(\d+)<', page)


def test_the_chart_is_stacked_by_api_or_by_what_was_charged(api: Api, tenant: Tenant) -> None:
    for _ in range(2):
        api.call("search/memory", ASK)
    api.call("rerank", {"query": "tea", "documents": ["tea"]})
    api.call("search/memory", {})
    look_until(lambda: history(tenant, "Searches"), lambda cells: cells[2] == "1")

    assert legend(load_page(tenant)) == [("Searches", "2"), ("Rerank calls", "1")]
    assert legend(load_page(tenant, "?api=rerank")) == [("Rerank calls", "1")]
    assert legend(load_page(tenant, "?stack=outcome")) == [("Charged", "3"), ("Failed, not charged", "1")]


def test_response_times_are_those_of_the_chosen_project_or_of_all(api: Api, tenant: Tenant) -> None:
    second = Project.objects.create(account=tenant.project.account, name="Second project")
    with Api(tenant.url, create_key(second, "Batch").plaintext) as theirs:
        theirs.call("search/memory", ASK)
    api.call("search/memory", ASK)
    api.call("search/memory", {})

    def calls(query: str = "") -> list[str]:
        html = load_page(tenant, query)
        shown = html[html.index('id="times"') :]
        return cells(shown, "/search/memory")[1:3] if "/search/memory" in shown else []

    assert look_until(calls, lambda figures: figures[:1] == ["3"]) == ["3", "1"]
    assert calls(f"?project={second.pk}") == ["1", "0"]


def test_limits_are_those_that_are_enforced_with_what_stands_against_them(api: Api, tenant: Tenant) -> None:
    give_plan(tenant, monthly_searches=77, knowledge_bases=3, most_requests_per_second=123)
    api.call("search/memory", ASK)
    api.data("create/knowledgebase", {"knowledgebase_name": "Policies", "knowledgebase_description": ""})

    html = load_page(tenant, name="limits")

    assert cells(html, "Searches")[1:3] == ["77", "1"]
    assert "40304" in cells(html, "Searches")[3]
    assert cells(html, "Knowledge bases")[1:3][1] == "1"
    assert "40300" in cells(html, "Requests per second")[2]
    assert cells(html, "Requests per second")[1] == "123"
    assert "40305" in cells(html, "Input tokens")[2]
    # Only where anything is counted is there a column for it.
    assert [part.count(">Current</th>") for part in html.split("<h2>")[1:]] == [1, 1, 0, 0, 1, 0]


def test_prices_and_limits_are_the_plans_own(tenant: Tenant) -> None:
    html = Client(HTTP_HOST="localhost").get("/pricing/").content.decode()
    plans = list(Plan.objects.filter(is_listed=True))

    shown = cells(html, "Searches per month")[1:]
    assert shown == [
        "no limit" if plan.monthly_searches is None else f"{plan.monthly_searches:,}" for plan in plans
    ]
    assert [f"{plan.name}" in html for plan in plans] == [True] * 4
    assert "Current plan" not in html
    assert "Current plan" in sign_in_browser(tenant).get("/pricing/").content.decode()


def test_the_page_of_limits_in_the_documentation_is_the_plans_table() -> None:
    assert (PROJECT_ROOT / "docs" / "limits.md").read_text() == as_markdown()


def test_the_page_of_limits_says_how_many_pages_a_document_may_have_where_it_is_sent() -> None:
    text = " ".join(as_markdown().split())

    assert f"at most {attachments.MAX_PAGES} pages in a message" in text
    assert f"and {parse_file.MAX_PAGES} in a knowledge base" in text


def test_a_month_of_usage_is_told_as_it_is(tenant: Tenant, api: Api) -> None:
    """A plan without limits counts too, and forecasts."""
    api.call("search/memory", ASK)

    there = standing(tenant, Meter.SEARCH)

    assert there.allowed is None
    assert there.forecast >= there.used == 1


def test_what_is_stored_is_shown_by_what_it_is_and_beside_what_is_allowed(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1)
    empty = read_text(load_page(tenant))
    assert "0 bytes of 1.0 MB used (0%)" in empty
    assert "1.0 MB left" in empty

    keep(tenant, 200_000)
    full = read_text(load_page(tenant))

    assert "195.3 KB of 1.0 MB used (19%)" in full
    assert "Sessions 195.3 KB" in full
    assert "Messages and their files 0 bytes" in full
    assert "storage" not in read_text(load_page(tenant, name="members")).lower()
    limits = cells(load_page(tenant, name="limits"), "Total storage")
    assert limits[1:3] == ["1.0 MB", "195.3 KB"]
    assert "40304" in limits[3]


def test_every_page_says_when_the_storage_is_nearly_used_up(tenant: Tenant) -> None:
    give_plan(tenant, storage_megabytes=1)
    keep(tenant, 850_000)
    assert "81% of this plan's storage is used" in read_text(load_page(tenant, name="members"))

    give_plan(tenant, storage_megabytes=0)

    assert "nothing more is stored until something is deleted" in read_text(load_page(tenant, name="members"))
    assert "830.1 KB over the limit" in read_text(load_page(tenant))


def test_a_plan_without_a_limit_shows_none(tenant: Tenant) -> None:
    assert "0 bytes used, no limit" in read_text(load_page(tenant))


def test_storage_that_is_overfull_fits_the_narrowest_phone(signed_in: Page, tenant: Tenant) -> None:
    keep(tenant, 850_000)
    give_plan(tenant, storage_megabytes=0)
    Plan.objects.filter(pk=tenant.project_id).update(name="Free")
    signed_in.set_viewport_size({"width": 320, "height": 640})

    signed_in.goto(f"/a/{tenant.project.account_id}/usage/")

    expect(signed_in.get_by_text("830.1 KB over the limit")).to_be_visible()
    too_wide = signed_in.evaluate(
        "[...document.querySelectorAll('.storage-card *, .notice *')]"
        ".filter((one) => one.getBoundingClientRect().right > 320).map((one) => one.outerHTML.slice(0, 90))"
    )
    assert too_wide == []
    assert signed_in.evaluate("document.documentElement.scrollWidth") == 320


def test_the_filters_stand_in_one_line_on_a_small_laptop(signed_in: Page, tenant: Tenant) -> None:
    signed_in.set_viewport_size({"width": 1280, "height": 800})
    signed_in.goto(f"/a/{tenant.project.account_id}/usage/")

    fields = signed_in.locator(".filters").locator("input:visible, select:visible").all()
    lines = {round(box["y"]) for field in fields if (box := field.bounding_box())}

    assert len(fields) == 7
    assert len(lines) == 1


def test_tokens_of_models_are_shown_by_purpose_for_the_chosen_project_and_time(
    tenant: Tenant, stranger: Tenant
) -> None:
    second = Project.objects.create(account=tenant.project.account, name="second")
    read = Spent("extraction", "tiny-1", 1_200, 300)
    record_model_usage(
        Scope.of_project(tenant.project), [read, Spent("chat", "tiny-1", 50, 9, is_estimated=True)]
    )
    record_model_usage(Scope.of_project(second), [read])
    record_model_usage(Scope.of_project(stranger.project), [Spent("extraction", "theirs-1", 7, 7)])

    _, _, everything = load_page(tenant).partition("Language models")

    assert cells(everything, "Extracting memories") == ["Extracting memories", "tiny-1", "2", "2,400", "600"]
    assert cells(everything, "Chat answers")[1:] == ["tiny-1", "1", "50", "9"]
    assert "The tokens of 1 call are estimated" in read_text(everything)
    assert "theirs-1" not in everything
    assert cells(load_page(tenant, f"?project={second.pk}"), "Extracting memories")[2:] == [
        "1",
        "1,200",
        "300",
    ]
    assert "tiny-1" not in load_page(tenant, "?range=last")


def test_who_uses_no_model_sees_no_table_of_models(tenant: Tenant) -> None:
    assert "Language models" not in load_page(tenant)


def test_every_purpose_that_tokens_are_counted_under_has_a_name() -> None:
    modules = [
        path.read_text() for app in ("memories", "skills") for path in (PROJECT_ROOT / app).rglob("*.py")
    ]
    counted = {
        name
        for text in modules
        for name in re.findall(r'^(?:PROMPT, )?PURPOSE = (?:"[^"]*", )?"(\w+)"', text, re.M)
    }

    assert counted == set(PURPOSES)
