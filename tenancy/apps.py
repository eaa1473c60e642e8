from importlib import import_module

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    name = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """The tables of usage are a module of their own."""
        super().import_models()
        import_module("tenancy.usage_models")
