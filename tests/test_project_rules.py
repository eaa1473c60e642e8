"""Rules of the project that no other tool checks."""

from __future__ import annotations

import ast
import gc
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.apps import apps
from django.db import connection, models

from console.configuration.logs import FIELDS
from tenancy.errors import CatalogueError, list_errors
from tenancy.isolation.scoping import TABLES_WITHOUT_POLICY, ScopedManager, UnscopedQuery

ROOT = Path(__file__).resolve().parents[1]
APPS = ["tenancy", "memories", "skills", "knowledgebase", "console"]  # each knows only those before it

# In the longest modules patterns over several lines are a third.
LONGEST_MODULE, LONGEST_TEST_MODULE, LONGEST_FUNCTION = 500, 400, 60
# Entries of a folder beside its index and `migrations`: about a dozen, some more where a set would be torn.
FULLEST_FOLDER, FULLEST_ROOT = 17, 20
# An app's folder, or as wide a field as one.
ROOTS = {*APPS, "tests", "tests/support", "docs"}
WIDEST_TEMPLATE_LINE = 120
# Between its elements white space would be shown.
WIDE_TEMPLATES = {"templates/console/ui/pieces.html"}
LONG_MODULES: set[str] = set()
LONG_FUNCTIONS: set[str] = set()
LONG_TEST_MODULES: set[str] = set()

# All through the sweeper's own role.
MAY_READ_EVERY_TENANT = {"memories/jobs/claims.py", "memories/jobs/outbox.py", "memories/jobs/sweeper.py"}
MAY_EXCEPT_BROADLY = {"memories/tasks.py", "console/worker/watchdog.py"}
MAY_READ_THE_ENVIRONMENT = {
    "console/configuration/environment.py",
    "console/asgi.py",
    "console/celery.py",
    "manage.py",
}
# By way of events, before anything is built.
MAY_READ_YAML = {"skills/packages/front_matter.py"}
MAY_MARK_SAFE = {"console/templatetags/console.py"}
# What may be repeated possessively: on 3.11.2 these find the same as their atomic forms in every text of up to nine
# of the letters that they tell apart.
MAY_BE_POSSESSIVE = (r'(?:[^"\\]++|\\.)*+', r"(?: ?\n)++")
# Notifications are sent here; all others write a row.
MAY_NOTIFY = {"memories/jobs/outbox.py"}
RANDOM = {"uuid4", "token_hex", "token_urlsafe", "token_bytes", "urandom", "random", "randint", "choice"}
ASKS = {"get", "post", "put", "patch", "delete", "request", "stream", "Client", "AsyncClient"}
LOGS = {"debug", "info", "warning", "error", "critical", "exception"}
# Their tables are read before a tenant is known, and hold no end user's words.
DJANGOS_OWN = ("django_", "auth_", "account_", "mfa_", "socialaccount_", "usersessions_", "allauth_idp_oidc_")


@cache
def modules() -> list[tuple[str, ast.Module]]:
    files = [ROOT / "manage.py", *(path for app in APPS for path in sorted((ROOT / app).rglob("*.py")))]
    return parse(files)


@cache
def modules_of_tests() -> list[tuple[str, ast.Module]]:
    return parse(sorted((ROOT / "tests").rglob("*.py")))


def parse(files: list[Path]) -> list[tuple[str, ast.Module]]:
    gc.disable()  # to look for garbage among a million nodes, again and again, takes longer than all tests
    parsed = [(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in files]
    gc.freeze()
    gc.enable()
    return parsed


def is_migration(name: str) -> bool:
    return "/migrations/" in name


@cache
def nodes(tree: ast.AST) -> list[ast.AST]:
    return list(ast.walk(tree))


@cache
def calls(tree: ast.AST) -> list[tuple[str, ast.Call]]:
    """Every call with the last part of what is called: `a.b.delay(...)` is "delay"."""
    call_nodes = (node for node in nodes(tree) if isinstance(node, ast.Call))
    return [
        (called.attr if isinstance(called, ast.Attribute) else called.id, node)
        for node in call_nodes
        if isinstance(called := node.func, ast.Attribute | ast.Name)
    ]


def test_imports_run_one_way() -> None:
    linter = Path(sys.executable).with_name("lint-imports")

    result = subprocess.run([linter, "--no-cache"], cwd=ROOT, capture_output=True, text=True)

    assert result.returncode == 0, result.stdout


def test_foreign_keys_point_the_way_imports_do() -> None:
    for app in APPS:
        for model in apps.get_app_config(app).get_models():
            for field in model._meta.fields:
                target = field.related_model._meta.app_label if field.is_relation else app
                if target in APPS:
                    assert APPS.index(target) <= APPS.index(app), f"{model.__name__}.{field.name}"


def test_every_table_has_row_level_security_or_is_listed() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity AND EXISTS ("
            "  SELECT 1 FROM pg_policy WHERE polrelid = pg_class.oid AND polqual IS NOT NULL"
            "  AND polwithcheck IS NOT NULL AND polpermissive AND polcmd = '*') AND"
            "  (SELECT count(*) FROM pg_policy WHERE polrelid = pg_class.oid) = 1"
            " FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace"
        )
        walled: dict[str, bool] = dict(cursor.fetchall())

    open_tables = {name for name, stands in walled.items() if not stands}
    assert {name for name in open_tables if not name.startswith(DJANGOS_OWN)} == TABLES_WITHOUT_POLICY


def tenant_models() -> list[type[models.Model]]:
    ours = [model for app in APPS for model in apps.get_app_config(app).get_models()]
    return [model for model in ours if hasattr(model, "owner")]


def test_tables_with_row_level_security_ask_for_their_owner_in_code_too() -> None:
    behind = {model._meta.db_table for model in tenant_models()}
    ours = {model._meta.db_table for app in APPS for model in apps.get_app_config(app).get_models()}

    assert ours - behind <= TABLES_WITHOUT_POLICY
    for model in tenant_models():
        assert isinstance(model.objects, ScopedManager), model
        with pytest.raises(UnscopedQuery):
            model.objects.all()


def test_every_tenant_row_names_its_account() -> None:
    for model in tenant_models():
        assert not model._meta.get_field("account").null, model


def test_nobody_notifies_the_broker_on_a_request_path() -> None:
    for name, tree in modules():
        for called, _ in calls(tree):
            if called in {"delay", "apply_async", "send_task", "publish"}:
                assert name in MAY_NOTIFY or (called == "publish" and name == "memories/jobs/sweeper.py"), (
                    name
                )


def test_later_is_a_column_not_a_message() -> None:
    for name, tree in modules():
        for _, call in calls(tree):
            assert not {"eta", "countdown"} & {keyword.arg for keyword in call.keywords}, name


def test_the_tenant_is_set_for_one_transaction_only() -> None:
    """No session setting outlives its transaction: the next tenant gets the same connection."""
    for name, tree in modules():
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_migration(name):
                statement = " ".join(node.value.upper().split())
                assert not statement.startswith(("SET ", "SET SESSION")) or "SET LOCAL" in statement, name
                settings = statement.count("SET_CONFIG(")
                assert statement.count(", TRUE)") >= settings, name


def test_only_the_listed_places_read_every_tenants_rows() -> None:
    names = set()
    for name, tree in modules():
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and node.attr in {
                "every",
                "_base_manager",
                "_default_manager",
            }:
                names.add(name)
    assert {name for name in names if not is_migration(name)} == MAY_READ_EVERY_TENANT


def test_nothing_is_trusted_blindly() -> None:
    for name, tree in modules():
        for called, call in calls(tree):
            assert called != "mark_safe" or name in MAY_MARK_SAFE, name
            assert called not in {"eval", "exec", "extractall"}, name
            assert "shell" not in {keyword.arg for keyword in call.keywords}, name
        for imported in imports(tree):
            assert imported.partition(".")[0] not in {"pickle", "marshal", "shelve"}, name
            assert imported.partition(".")[0] != "yaml" or name in MAY_READ_YAML, name


def imports(tree: ast.AST) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""


def test_failures_are_named() -> None:
    broad = set()
    for name, tree in modules():
        for node in nodes(tree):
            if isinstance(node, ast.ExceptHandler):
                assert node.type is not None, f"{name}:{node.lineno} catches everything"
                caught = {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)}
                if caught & {"Exception", "BaseException"}:
                    broad.add(name)
    assert broad == MAY_EXCEPT_BROADLY


def test_modules_and_functions_are_short() -> None:
    long_modules, long_functions = set(), set()
    for name, tree in modules():
        if is_migration(name):
            continue
        if len((ROOT / name).read_text(encoding="utf-8").splitlines()) > LONGEST_MODULE:
            long_modules.add(name)
        for node in nodes(tree):
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            if is_function and (node.end_lineno or 0) - node.lineno >= LONGEST_FUNCTION:
                long_functions.add(f"{name}:{node.name}")
    assert long_modules == LONG_MODULES
    assert long_functions == LONG_FUNCTIONS


def test_every_package_says_what_is_in_it() -> None:
    packages = {name: tree for name, tree in modules() if name.endswith("__init__.py")}

    assert [
        name for name, tree in packages.items() if not is_migration(name) and not ast.get_docstring(tree)
    ] == []


def test_folders_are_not_full() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True
    ).stdout.splitlines()
    folders: dict[str, set[str]] = {}
    for path in map(Path, tracked):
        for folder, entry in zip(path.parents, [path, *path.parents], strict=False):
            folders.setdefault(str(folder), set()).add(entry.name)
    del folders["."]  # what tools look for at the top of a checkout

    for folder, entries in folders.items():
        if not folder.endswith("/migrations"):
            most = FULLEST_ROOT if folder in ROOTS else FULLEST_FOLDER
            assert len(entries - {"__init__.py", "index.md", "migrations"}) <= most, folder


def test_patterns_mean_the_same_to_every_python() -> None:
    """Up to 3.11.4, a possessive group that fails is not taken back to where it began (CPython's issue 106052)."""
    for name, tree in modules():
        for node in nodes(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                pattern = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                for allowed in MAY_BE_POSSESSIVE:
                    pattern = pattern.replace(allowed, "")
                assert not re.search(r"[^(]\)(?:[*+?]|\{[\d,]+\})\+", pattern), f"{name}:{node.lineno}"


def test_migrations_import_nothing_of_ours() -> None:
    """What a migration does must not change with the code around it; functions that columns default to aside."""
    for name, tree in modules():
        if is_migration(name):
            assert not {imported.partition(".")[0] for imported in imports(tree)} & set(APPS), name


def test_migrations_see_the_rows_that_they_change() -> None:
    """The role that migrates sees no row under row-level security, so an UPDATE of its own would change none."""
    for name, tree in modules():
        if is_migration(name):
            text = (ROOT / name).read_text(encoding="utf-8")
            for node in nodes(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    first, *more = node.value.upper().split() or [""]
                    changes = first in {"UPDATE", "INSERT", "DELETE"} and len(more) > 1
                    assert not changes or "tenancy_back_fill" in text or "NO FORCE ROW" in text, name


def test_migrations_wait_for_dumps_where_nobody_waits_for_them() -> None:
    for name, tree in modules():
        if not is_migration(name):
            continue
        constants = [node.value for node in nodes(tree) if isinstance(node, ast.Constant)]
        builds = [value for value in constants if isinstance(value, str) and "INDEX CONCURRENTLY" in value]
        if builds:
            assert "SET lock_timeout = '30min'" in constants, name


def test_fields_of_log_lines_reach_the_log() -> None:
    for name, tree in modules():
        for called, call in calls(tree):
            for keyword in call.keywords:
                if keyword.arg == "extra" and called in LOGS and isinstance(keyword.value, ast.Dict):
                    fields = {key.value for key in keyword.value.keys if isinstance(key, ast.Constant)}
                    assert fields <= set(FIELDS), f"{name}:{call.lineno}"


def test_the_environment_is_read_in_one_place() -> None:
    names = set()
    for name, tree in modules():
        for node in nodes(tree):
            is_read = (
                isinstance(node, ast.Attribute)
                and node.attr in {"environ", "environb", "getenv", "getenvb"}
                and ast.unparse(node).startswith("os.")
            )
            if is_read or (isinstance(node, ast.ImportFrom) and node.module == "os"):
                names.add(name)
    assert names <= MAY_READ_THE_ENVIRONMENT


def test_no_name_is_a_home_for_leftovers() -> None:
    leftovers = {"utils", "helpers", "common", "misc", "manager", "handler", "service"}
    for name, _ in modules():
        assert not set(Path(name).with_suffix("").parts) & leftovers, name


def test_a_code_of_the_catalogue_means_one_thing() -> None:
    codes = [entry.code for entry in CatalogueError.__subclasses__()]

    assert len(codes) == len(set(codes)) == len(list_errors())
    for entry in list_errors():
        assert entry.message
        assert entry.remedy
        assert entry.status in {200, 400, 401, 404, 405, 409, 429, 500, 503}


def test_tests_wait_in_one_place_and_import_no_tests() -> None:
    """Fixed sleeps are slow or fail by chance; what several tests use lies in tests/support."""
    for name, tree in modules_of_tests():
        for called, call in calls(tree):
            assert called != "sleep" or name.startswith("tests/support/"), f"{name}:{call.lineno}"
        for imported in imports(tree):
            own, last = imported.startswith("tests."), imported.rpartition(".")[2]
            assert not own or not last.startswith(("test_", "conftest")), f"{name} imports {imported}"


def test_tests_ask_with_limits_for_busy_machines() -> None:
    """A new browser profile gives a page 30 seconds and httpx an answer five, which are over by chance."""
    for name, tree in modules_of_tests():
        for called, call in calls(tree):
            assert called != "new_context" or name == "tests/support/console/browser.py", (
                f"{name}:{call.lineno}"
            )
            if called in ASKS and ast.unparse(call.func).startswith("httpx."):
                assert "timeout" in {given.arg for given in call.keywords}, f"{name}:{call.lineno}"


def test_parameters_of_tests_are_the_same_in_every_process() -> None:
    """Processes that collect different tests run none."""
    for name, tree in modules_of_tests():
        for line, called in calls_when_imported(tree) if Path(name).name.startswith("test_") else ():
            assert called not in RANDOM, f"{name}:{line}"


def calls_when_imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in tree.body:
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for part in node.decorator_list if is_function else [node]:
            functions = [
                function for function in ast.walk(part) if isinstance(function, ast.Lambda | ast.FunctionDef)
            ]
            later = {id(child) for function in functions for child in ast.walk(function)}
            yield from ((call.lineno, called) for called, call in calls(part) if id(call) not in later)


def test_files_of_tests_are_short() -> None:
    paths = set()
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if len(path.read_text(encoding="utf-8").splitlines()) > LONGEST_TEST_MODULE:
            paths.add(str(path.relative_to(ROOT)))
    assert paths == LONG_TEST_MODULES


def test_template_lines_are_narrow_where_they_can_be_broken() -> None:
    """A tag of Django has to stand in one line, and white space beside it may be one that pages show."""
    wide = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / "templates").rglob("*.html")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDEST_TEMPLATE_LINE
    }
    assert {place.partition(":")[0] for place in wide} == WIDE_TEMPLATES, sorted(wide)
