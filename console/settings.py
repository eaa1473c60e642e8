"""Django's settings. Values come from the environment, by `console/configuration/environment.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext_lazy as _

from console.configuration import environment, logs
from console.http.openapi.key_schemes import KEY_SCHEMES
from console.interfaces.payments.settings import list_stripe_origins, read_stripe_settings
from console.sign_in import sign_up_settings

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_FOLDER = environment.read_data_folder()
DEBUG = environment.debug()
# Empty only where nothing is signed (makemigrations, type checks): Django refuses an empty key at its first use.
SECRET_KEY = environment.read_text("SECRET_KEY")
SECRET_KEY_FALLBACKS = environment.read_secret_key_fallbacks()
KEY_PEPPERS = environment.read_key_peppers() if environment.read_text("KEY_PEPPERS") else []
ENCRYPTION_KEYS = environment.read_encryption_keys()
ALLOWED_HOSTS = environment.read_allowed_hosts()
PUBLIC_URL = environment.read_public_url()
# Whose X-Forwarded-For the web server believes; uvicorn reads it by itself.
FORWARDED_ALLOW_IPS = environment.read_text("FORWARDED_ALLOW_IPS")
IS_HTTPS = PUBLIC_URL.startswith("https://")
PUBLIC_SOCKETS = environment.get_socket_origin(PUBLIC_URL)
# 0: nobody said how many there are.
WEB_PROCESSES = environment.read_number("WEB_PROCESSES", 0, 0, 256)

# Without credentials of a provider its buttons and addresses do not exist.
SOCIAL = sign_up_settings.read_social_providers()

INSTALLED_APPS = [
    "console",
    "knowledgebase",
    "skills",
    "memories",
    "tenancy",
    "console.pages.operators.config.OperatorsConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "console.http.static_files.StaticFiles",
    "django.contrib.postgres",
    "django.contrib.humanize",  # allauth's own pages say with it how long ago something was
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    *(f"allauth.socialaccount.providers.{name}" for name in SOCIAL),
    "allauth.idp.oidc",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "channels",
    "csp",
]

MIDDLEWARE = [
    "console.http.response_headers.ResponseHeaders",
    "console.http.response_headers.CompressPages",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "console.sign_in.session_lifetime.SessionLifetimeMiddleware",
    "tenancy.audit.request_context.RequestContextMiddleware",
    "console.interfaces.oauth.unstorable_parameters.RefuseUnstorable",
    "django_htmx.middleware.HtmxMiddleware",
    "console.sign_in.operator_visit.Visiting",
]

ROOT_URLCONF = "console.urls"
ASGI_APPLICATION = "console.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "console.sign_in.sign_up.sign_up_offer",
            ],
        },
    },
]

# Three roles of one database: the application's own (bound by row-level security), the one that claims and sweeps
# tasks (sees that table only), and the owner, who migrates.
# Of two hundred calls at once the last waits some three seconds for its turn on two processors; who waits longer gets
# a 503. `console.embedded.ready` waits a second longer.
_POOL = {"min_size": 2, "max_size": environment.read_number("DATABASE_POOL", 16, 1, 500), "timeout": 4}
DATABASES = {
    "default": environment.parse_database_url(environment.read_database_url()),
    "sweep": environment.parse_database_url(environment.read_database_sweep_url()),
    "owner": environment.parse_database_url(environment.read_database_owner_url()),
}
for _alias in DATABASES.values():
    # Behind a pooler of transactions, such as pgbouncer's, a cursor of the server's lives no longer than its statement.
    _alias["DISABLE_SERVER_SIDE_CURSORS"] = environment.read_flag(
        "DISABLE_SERVER_SIDE_CURSORS", default=False
    )
    _alias["OPTIONS"]["connect_timeout"] = 2
if environment.read_flag("DATABASE_POOLED", default=False):
    # The web process serves each request in a thread of its own: without a pool each would connect anew.
    DATABASES["default"]["OPTIONS"]["pool"] = _POOL
else:
    DATABASES["default"]["CONN_MAX_AGE"] = DATABASES["sweep"]["CONN_MAX_AGE"] = 600
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = DATABASES["sweep"]["CONN_HEALTH_CHECKS"] = True
# Tasks of one account that may take many seconds, at once; the supervisor gives half of its worker's processes.
LONG_TASKS_PER_ACCOUNT = environment.read_number("LONG_TASKS_PER_ACCOUNT", 1, 1, 64)
# What each web process may keep of the cubes that are searched most (1,000 memories are about 1.4 MB).
SNAPSHOT_MEGABYTES = environment.read_number("SNAPSHOT_MEGABYTES", 160, 0, 65_536)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = environment.read_redis_url()
CACHES = {
    alias: {
        "BACKEND": "console.http.fallback_cache.FallbackCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": prefix,
        "OPTIONS": {"socket_timeout": 1, "socket_connect_timeout": 1},
    }
    # Failed sign-ins are counted in the first; the second holds what the last prompts of conversations began with.
    for alias, prefix in (("default", ""), ("prompts", "prompts"))
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        # The layer waits for messages by blocking reads of 5 s, which is also the client's own time limit: without
        # lifting that one, every quiet socket would die after 5 s.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}], "prefix": "engram"},
    }
}

AUTH_USER_MODEL = "tenancy.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_ADAPTER = "console.sign_in.logins.LoginAdapter"
SIGNUP = sign_up_settings.sign_up()
# By address: where mails are only printed nobody proves theirs, and somebody could fill the installation.
SIGNUPS_PER_HOUR = environment.read_number("SIGNUPS_PER_HOUR", 20, 1, 100_000)
ACCOUNT_FORMS = {"signup": "console.sign_in.sign_up.SignUpForm"}
SOCIALACCOUNT_ADAPTER = "console.sign_in.sign_up.SocialAdapter"
HAS_MAIL = bool(environment.read_text("EMAIL_URL"))
# Where mails are only printed, nobody could confirm an address; with EMAIL_URL set, everybody has to.
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if HAS_MAIL else "optional"
ACCOUNT_EMAIL_NOTIFICATIONS = HAS_MAIL
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_CONFIRM_EMAIL_ON_GET = False
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
ACCOUNT_RATE_LIMITS = {"login_failed": "10/15m/ip,10/15m/key", "reauthenticate": "10/15m/user"}
PASSWORD_RESET_TIMEOUT = 3600
MFA_ADAPTER = "console.sign_in.logins.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Engram"
MFA_TOTP_TOLERANCE = 1
# An address nobody could confirm must not keep them from a second factor.
MFA_ALLOW_UNVERIFIED_EMAIL = not HAS_MAIL
# Browsers take passkeys on localhost without TLS, and nowhere else.
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not IS_HTTPS
SOCIALACCOUNT_PROVIDERS = SOCIAL
SOCIALACCOUNT_LOGIN_ON_GET = False
# An address confirmed by a provider must not open a login that exists here: users connect providers when signed in.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = False
# Applications of other makers (assistants over MCP) register themselves and act for members by OAuth 2.1.
IDP_OIDC_ADAPTER = "console.interfaces.oauth.adapter.OAuthAdapter"
IDP_OIDC_DCR_ENABLED = True
IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN = False
# Behind one address there may be a whole office.
IDP_OIDC_RATE_LIMITS = {
    "client_registration": "20/m/ip",
    "device_code": "20/m/ip",
    "device_user_code": "20/m/ip",
}
# Seconds: how long a code of `engram login` works, and how often the command asks whether it was approved.
IDP_OIDC_DEVICE_CODE_EXPIRES_IN, IDP_OIDC_DEVICE_CODE_INTERVAL = 600, 2
IDP_OIDC_ACCESS_TOKEN_EXPIRES_IN = 3600
IDP_OIDC_REFRESH_TOKEN_EXPIRES_IN = 90 * 24 * 3600
LOGIN_REDIRECT_URL = "/home/"
ACCOUNT_LOGOUT_REDIRECT_URL = "/"
LOGIN_URL = "/accounts/login/"

_MAIL = environment.read_email_settings()
globals().update({name: value for name, value in _MAIL.items() if name.startswith("EMAIL_")})
EMAIL_TIMEOUT = 10
SECURITY_CONTACT = environment.read_security_contact()
DEFAULT_FROM_EMAIL = environment.read_text("DEFAULT_FROM_EMAIL", "Engram <no-reply@localhost>")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "console" / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = DATA_FOLDER / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
    "files": environment.read_file_storage(DATA_FOLDER / "files"),
}
# Private addresses that an operator lets clients have fetched; none unless he says so.
FETCH_ALLOW = environment.fetch_allow()
# The manifest is written by collectstatic; where that has not run (tests of templates), files are found in place.
WHITENOISE_USE_FINDERS = DEBUG
# Every page asks for files by the name that their content gives them.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True

# The API never redirects: a redirect turns its clients' POST into a GET. Console addresses end in a slash.
APPEND_SLASH = False
WEB_THREADS = environment.read_web_threads()
BODY_MEGABYTES = environment.read_body_megabytes()
# A body that is still coming lies on disk beyond this size: slow senders then hold little memory.
FILE_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024
SESSION_COOKIE_AGE = 12 * 3600
SESSION_IDLE_SECONDS = 3 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = IS_HTTPS
SESSION_COOKIE_NAME = "__Host-sessionid" if IS_HTTPS else "engram_session"
CSRF_COOKIE_NAME = "__Host-csrftoken" if IS_HTTPS else "engram_csrf"
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
CSRF_FAILURE_VIEW = "console.pages.shell.expired_form.refuse_expired_form"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if IS_HTTPS else None
# Pages that were asked for in clear are asked for again by the public address. The API is not: a redirect would turn
# its clients' POST into a GET; nor are probes, which balancers send without TLS.
SECURE_SSL_REDIRECT = IS_HTTPS
SECURE_SSL_HOST = urlsplit(PUBLIC_URL).netloc
SECURE_REDIRECT_EXEMPT = [r"^api/", r"^stripe/events$", r"^readyz$"]
SECURE_HSTS_SECONDS = 31_536_000 if IS_HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = IS_HTTPS
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        # Browsers whose 'self' leaves out sockets need their address.
        "connect-src": ["'self'", PUBLIC_SOCKETS],
        "manifest-src": ["'self'"],
        # Signing in at a provider, and paying, start with a form of ours that is redirected there.
        "form-action": ["'self'", *sign_up_settings.list_social_origins(), *list_stripe_origins()],
        "base-uri": ["'none'"],
        "frame-ancestors": ["'none'"],
    },
}

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tenancy.api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_PARSER_CLASSES": ["tenancy.api.bodies.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["tenancy.api.rendering.EnvelopeRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "tenancy.api.rendering.AlwaysJSON",
    "EXCEPTION_HANDLER": "tenancy.api.failures.answer_failure",
    "DEFAULT_SCHEMA_CLASS": "console.http.openapi.generator.RecordedSchema",
    "UNAUTHENTICATED_USER": None,
    "NON_FIELD_ERRORS_KEY": "body",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Engram API",
    "DESCRIPTION": "Long-term memory for AI applications.",
    "VERSION": "1.0.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "defaultModelsExpandDepth": 0, "validatorUrl": None},
    "OAS_VERSION": "3.1.0",
    "APPEND_COMPONENTS": {"securitySchemes": KEY_SCHEMES},
    "SCHEMA_PATH_PREFIX": "/api",
    "PREPROCESSING_HOOKS": ["console.http.openapi.apis.list_documented_endpoints"],
    "POSTPROCESSING_HOOKS": [],
    "GET_MOCK_REQUEST": "console.http.openapi.generator.mock_request",
    "SORT_OPERATIONS": False,
}

# What `manage.py calibrate` fitted for embedding models other than the default one.
CALIBRATION_FOLDER = environment.read_calibration_folder()

_EMBEDDING = environment.read_embedding()
EMBEDDING: dict[str, Any] = {
    "ENGINE": _EMBEDDING.engine.value,
    "BASE_URL": _EMBEDDING.base_url,
    "API_KEY": _EMBEDDING.api_key,
    "MODEL": _EMBEDDING.model,
    "DIMENSIONS": _EMBEDDING.dimensions,
}
_LLM = environment.read_language_model()
LLM: dict[str, Any] = {
    "BASE_URL": _LLM.base_url,
    "API_KEY": _LLM.api_key,
    "MODEL": _LLM.model,
    "SECONDS": _LLM.seconds,
    "INPUT_TOKENS": _LLM.input_tokens,
    "OUTPUT_TOKENS": _LLM.output_tokens,
    "REWRITES": _LLM.rewrites,
    "REWRITE_MILLISECONDS": _LLM.rewrite_milliseconds,
    "CHAT_MODELS": _LLM.chat_models,
    "CHAT_TOKENS": _LLM.chat_tokens,
    # A model of the same server that takes pictures; without it images are known by name and words only.
    "VISION_MODEL": environment.read_text("VISION_MODEL"),
}
_RERANK = environment.rerank_model()
RERANK: dict[str, Any] = {
    "BASE_URL": _RERANK.base_url,
    "API_KEY": _RERANK.api_key,
    "MODEL": _RERANK.model,
    "MILLISECONDS": _RERANK.milliseconds,
}
_STRIPE = read_stripe_settings()
STRIPE: dict[str, Any] = {
    "SECRET_KEY": _STRIPE.secret_key,
    "WEBHOOK_SECRETS": _STRIPE.webhook_secrets,
    "API_BASE": _STRIPE.api_base,
    "PRICES": _STRIPE.prices,
}

LOGGING = logs.SETTINGS
