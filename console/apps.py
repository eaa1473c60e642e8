from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        from console.sign_in import login_events, presence, second_factor  # noqa: F401  # each registers itself
