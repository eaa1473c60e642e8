"""The only reader of os.environ: typed, and refused when malformed.

Every variable may be replaced by NAME_FILE, the path of a file that holds the value. What the running
supervisor decided (addresses of the bundled services, where their secrets are) lies in `$ENGRAM_DATA/environment`,
so that a management command started from another terminal reaches the same database. The process's own
environment always wins.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import environ
import psycopg
from django.core.exceptions import ImproperlyConfigured
from psycopg.conninfo import conninfo_to_dict

DATABASE_VARIABLES = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_SWEEP_URL", "DATABASE_BACKUP_URL")
HANDOVER = "environment"


def list_own_variables() -> dict[str, str]:
    """List what this process was started with, to be passed on to children."""
    return dict(os.environ)


def read_data_folder() -> Path:
    return Path(os.environ.get("ENGRAM_DATA") or ".engram").expanduser().resolve()


@cache
def _read_handover(folder: Path) -> Mapping[str, str]:
    try:
        lines = (folder / HANDOVER).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return dict(line.split("=", 1) for line in lines if "=" in line)


def _lookup_variable(name: str) -> str | None:
    if name in os.environ:
        return os.environ[name]
    if name in DATABASE_VARIABLES and {"DATABASE_URL", "DATABASE_URL_FILE"} & os.environ.keys():
        return None  # the addresses of one database belong together; never mix two installations
    return _read_handover(read_data_folder()).get(name)


def read_text(name: str, default: str = "") -> str:
    return read_secret(name, default)


def read_secret(name: str, default: str | None = None) -> str:
    """The value of NAME, else the content of the file that NAME_FILE names, else the default."""
    if value := _lookup_variable(name):
        return value
    if path := _lookup_variable(f"{name}_FILE"):
        return _read_secret_file(f"{name}_FILE", Path(path))
    if default is None:
        raise ImproperlyConfigured(f"{name} (or {name}_FILE) must be set. `make run` sets it by itself.")
    return default


def _read_secret_file(name: str, path: Path) -> str:
    try:
        content = path.read_text().strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name} names a file that cannot be read: {error}.") from error
    if not content:
        raise ImproperlyConfigured(f"{name} names an empty file: {path}.")
    return content


def read_flag(name: str, *, default: bool) -> bool:
    value = read_text(name, str(default)).strip().lower()
    if value not in {"true", "false"}:
        raise ImproperlyConfigured(f"{name} must be true or false, not {value!r}.")
    return value == "true"


def read_number(name: str, default: int, least: int = 0, most: int = 2**31 - 1) -> int:
    value = read_text(name, str(default)).strip()
    if not value.isascii() or not value.isdecimal() or not least <= int(value) <= most:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least} to {most}, not {value!r}.")
    return int(value)


def read_names(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """A list, separated by commas."""
    value = read_text(name)
    return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)


def read_lines(name: str) -> list[str]:
    """Secrets, separated by commas or each on a line of the file."""
    return split_list(read_secret(name, ""))


def split_list(value: str) -> list[str]:
    """The parts of a list that is separated by commas or lines."""
    return [part.strip() for part in value.replace("\n", ",").split(",") if part.strip()]


def read_url(name: str, default: str, schemes: set[str]) -> str:
    """A URL of one of the schemes."""
    value = read_text(name, default)
    try:
        scheme = urlsplit(value).scheme
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is not a URL.") from error
    if scheme not in schemes:
        raise ImproperlyConfigured(
            f"{name} must be a URL that starts with one of {', '.join(sorted(schemes))}."
        )
    return value


def debug() -> bool:
    return read_flag("DEBUG", default=False)


def read_port() -> int:
    return read_number("PORT", 8000, 1, 65535)


def read_host() -> str:
    """The address that the web server listens on; the loopback unless an operator opens it."""
    return read_text("HOST", "127.0.0.1")


def read_web_connections() -> int:
    """Connections of clients that one web process has open at most, websockets included."""
    return read_number("WEB_CONNECTIONS", 2_000, 10, 1_000_000)


def read_web_connections_per_address() -> int:
    """Connections of one client address, unless `FORWARDED_ALLOW_IPS` names it as a proxy's."""
    return read_number("WEB_CONNECTIONS_PER_ADDRESS", 256, 1, 1_000_000)


def read_body_megabytes() -> int:
    """Megabytes of long request bodies that a web process holds at once.

    Half of them are for one account, and at least one body fits.
    """
    return read_number("BODY_MEGABYTES", 40, 20, 100_000)


def read_web_threads() -> int:
    """Requests that a web process works at once, in a thread each; half of them for one account."""
    return read_number("WEB_THREADS", 128, 2, 4_000)


def read_public_url() -> str:
    return read_url("PUBLIC_URL", f"http://localhost:{read_port()}", {"http", "https"}).rstrip("/")


def read_security_contact() -> str:
    """The address to which vulnerabilities are reported. RFC 2142 gives every host the default mailbox."""
    host = urlsplit(read_public_url()).hostname
    contact = read_text("SECURITY_CONTACT", f"mailto:security@{host}")
    if not contact.startswith(("mailto:", "https://")) or any(sign.isspace() for sign in contact):
        raise ImproperlyConfigured("SECURITY_CONTACT is a mailto: or https:// address.")
    return contact


def get_socket_origin(url: str) -> str:
    """The origin of an address, in the words of WebSockets."""
    parts = urlsplit(url)
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}"


def read_allowed_hosts() -> list[str]:
    own_name = urlsplit(read_public_url()).hostname or "localhost"
    return read_names("ALLOWED_HOSTS", tuple(dict.fromkeys(["localhost", "127.0.0.1", "[::1]", own_name])))


def read_key_peppers() -> list[str]:
    """Peppers of the API key digests. New keys use the first; a rotation still accepts the others."""
    peppers = [
        part.strip() for part in read_secret("KEY_PEPPERS").replace("\n", ",").split(",") if part.strip()
    ]
    if not peppers:
        raise ImproperlyConfigured("KEY_PEPPERS must name at least one pepper.")
    return peppers


SHORTEST_KEY = 32


def read_encryption_keys() -> list[str]:
    """The keys of tenants' secrets: the first encrypts, all of them decrypt. None: such secrets cannot be kept."""
    keys = read_lines("ENCRYPTION_KEYS")
    if any(len(key) < SHORTEST_KEY for key in keys):
        raise ImproperlyConfigured(f"ENCRYPTION_KEYS are random texts of {SHORTEST_KEY} characters or more.")
    return keys


def read_calibration_folder() -> Path:
    """Return where calibrations of embedding models lie; every host that serves searches needs the same."""
    return Path(read_text("CALIBRATION_FOLDER") or read_data_folder() / "calibration").expanduser()


def read_database_url() -> str:
    """The application's own role. Empty in the supervisor when the bundled server is to be used."""
    return read_text("DATABASE_URL")


def read_database_owner_url() -> str:
    """The role that migrates."""
    return read_text("DATABASE_OWNER_URL") or read_database_url()


def read_database_sweep_url() -> str:
    """The role that claims and sweeps tasks."""
    return read_text("DATABASE_SWEEP_URL") or read_database_url()


def read_database_backup_url() -> str:
    """The role that reads everything and writes nothing."""
    return read_text("DATABASE_BACKUP_URL") or read_database_owner_url()


def parse_database_url(url: str) -> dict[str, Any]:
    """One entry of Django's DATABASES from a libpq URL; unknown parameters go to OPTIONS untouched."""
    try:
        parts: dict[str, Any] = conninfo_to_dict(url)
    except psycopg.ProgrammingError as error:
        raise ImproperlyConfigured("A database URL is malformed; libpq's form is expected.") from error
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.pop("dbname", "engram"),
        "USER": parts.pop("user", ""),
        "PASSWORD": parts.pop("password", ""),
        "HOST": parts.pop("host", ""),
        "PORT": str(parts.pop("port", "")),
        "OPTIONS": parts,
    }


def read_redis_url() -> str:
    """Empty in the supervisor when the bundled server is to be used."""
    return read_url("REDIS_URL", "", {"", "redis", "rediss", "unix"})


def read_broker_url() -> str:
    """REDIS_URL in the words of Celery, which names the database of a socket otherwise than redis-py does."""
    url = urlsplit(read_redis_url())
    if url.scheme != "unix":
        return read_redis_url()
    return f"redis+socket://{url.netloc}{url.path}?{url.query.replace('db=', 'virtual_host=')}"


def read_secret_key_fallbacks() -> list[str]:
    """Former values of SECRET_KEY: what they signed and encrypted is still read, nothing new is signed with them."""
    return read_lines("SECRET_KEY_FALLBACKS")


def read_email_settings() -> dict[str, Any]:
    """Django's EMAIL_* settings; without EMAIL_URL mails are printed."""
    try:
        settings: dict[str, Any] = environ.Env.email_url_config(read_text("EMAIL_URL", "consolemail://"))
    except (environ.ImproperlyConfigured, ValueError) as error:
        raise ImproperlyConfigured(f"EMAIL_URL is malformed: {error}.") from error
    settings.pop("OPTIONS", None)
    return {name: value for name, value in settings.items() if value is not None}


class EngineChoice(StrEnum):
    LOCAL = "local"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class Embedding:
    engine: EngineChoice
    base_url: str
    api_key: str
    model: str
    dimensions: int


def read_embedding() -> Embedding:
    choice = read_text("EMBEDDING_ENGINE", EngineChoice.LOCAL)
    if choice not in set(EngineChoice):
        raise ImproperlyConfigured(f"EMBEDDING_ENGINE must be local or remote, not {choice!r}.")
    if choice == EngineChoice.LOCAL:
        return Embedding(EngineChoice.LOCAL, "", "", "multilingual-e5-small", 384)
    return Embedding(
        engine=EngineChoice.REMOTE,
        base_url=read_url("EMBEDDING_BASE_URL", "", {"http", "https"}).rstrip("/"),
        api_key=read_secret("EMBEDDING_API_KEY", ""),
        model=read_secret("EMBEDDING_MODEL"),
        dimensions=read_number("EMBEDDING_DIMENSIONS", 1536, 1, 4000),
    )


def _read_provider_url(name: str) -> str:
    """The address of a model server, "" when there is none."""
    return read_url(name, "", {"http", "https"}).rstrip("/") if read_text(name) else ""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A chat model behind any server with OpenAI's `/chat/completions`; without an address there is none."""

    base_url: str
    api_key: str
    model: str
    seconds: int
    input_tokens: int
    output_tokens: int
    rewrites: bool
    rewrite_milliseconds: int
    chat_models: list[str]
    chat_tokens: int


def read_language_model() -> LanguageModel:
    base_url = _read_provider_url("LLM_BASE_URL")
    model = LanguageModel(
        base_url=base_url,
        api_key=read_secret("LLM_API_KEY", ""),
        model=read_secret("LLM_MODEL", None if base_url else ""),
        # For one question with its retries; a whole conversation may take three times as long, 90 s at most.
        seconds=read_number("LLM_TIMEOUT", 30, 1, 90),
        input_tokens=read_number("LLM_INPUT_TOKENS", 6_000, 500, 1_000_000),
        output_tokens=read_number("LLM_OUTPUT_TOKENS", 4_000, 200, 100_000),
        rewrites=read_flag("LLM_REWRITE", default=False),
        rewrite_milliseconds=read_number("LLM_REWRITE_MILLISECONDS", 1_500, 50, 20_000),
        chat_models=read_names("LLM_CHAT_MODELS"),
        chat_tokens=read_number("LLM_CHAT_TOKENS", 8_192, 100, 100_000),
    )
    if model.rewrites and not base_url:
        raise ImproperlyConfigured("LLM_REWRITE needs LLM_BASE_URL.")
    if model.chat_models and not base_url:
        raise ImproperlyConfigured("LLM_CHAT_MODELS needs LLM_BASE_URL.")
    return model


@dataclass(frozen=True, slots=True)
class RerankModel:
    """A model behind any server with the usual `/rerank`; without an address there is none."""

    base_url: str
    api_key: str
    model: str
    milliseconds: int


def rerank_model() -> RerankModel:
    base_url = _read_provider_url("RERANK_BASE_URL")
    return RerankModel(
        base_url=base_url,
        api_key=read_secret("RERANK_API_KEY", ""),
        model=read_secret("RERANK_MODEL", None if base_url else ""),
        milliseconds=read_number("RERANK_MILLISECONDS", 1_000, 50, 20_000),
    )


def fetch_allow() -> list[str]:
    """Addresses as host:port that may be fetched though they are not public: each exposes the internal network."""
    allowed = read_names("FETCH_ALLOW")
    for address in allowed:
        host, _, port_number = address.rpartition(":")
        if not host or not port_number.isdecimal():
            raise ImproperlyConfigured(f"FETCH_ALLOW lists host:port, not {address!r}.")
    return allowed


def read_file_storage(folder: Path) -> dict[str, Any]:
    """Return where uploaded files lie: a folder, or with STORAGE_URL a bucket as
    s3://key:secret@host/bucket?region=name."""
    url = urlsplit(read_secret("STORAGE_URL", ""))
    if not url.scheme:
        options: dict[str, Any] = {"location": str(folder), "directory_permissions_mode": 0o700}
        return {"BACKEND": "memories.files.storage.DurableFiles", "OPTIONS": options}
    bucket = url.path.strip("/")
    query = dict(parse_qsl(url.query))
    if url.scheme not in {"s3", "s3+http"} or not url.hostname or not bucket or "/" in bucket:
        raise ImproperlyConfigured("STORAGE_URL is written s3://key:secret@host/bucket?region=name.")
    scheme = "http" if url.scheme == "s3+http" else "https"
    options = {
        "bucket_name": bucket,
        "access_key": unquote(url.username or "") or None,
        "secret_key": unquote(url.password or "") or None,
        "endpoint_url": f"{scheme}://{url.netloc.rpartition('@')[2]}",
        "region_name": query.get("region") or "us-east-1",
        "addressing_style": query.get("addressing", "path"),
        "default_acl": None,
        "querystring_auth": True,
    }
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def read_shared_buffers() -> str:
    """Memory of the bundled Postgres, in its own notation."""
    return read_text("POSTGRES_SHARED_BUFFERS", "256MB")
