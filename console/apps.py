from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        from console import celery, checks, failures, login_events, presence, receivers, second_factor  # noqa: F401  # each registers itself
