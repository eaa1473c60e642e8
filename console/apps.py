from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        from console import celery, checks, receivers  # noqa: F401  # each registers itself
