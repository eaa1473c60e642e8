from django.apps import AppConfig


class ConsoleConfig(AppConfig):
    name = "console"

    def ready(self) -> None:
        # Each of these registers itself when it is imported.
        from console import celery, receivers  # noqa: F401
        from console.configuration import checks  # noqa: F401
        from console.http import exception_log  # noqa: F401
        from console.sign_in import login_events, second_factor, session_lifetime  # noqa: F401
