from importlib import import_module

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    name = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"

    def import_models(self) -> None:
        """The tables of usage, of payment and of operators are modules of their own, and so are a few more."""
        super().import_models()
        import_module("tenancy.deletion_models")
        import_module("tenancy.provider_models")
        import_module("tenancy.usage_models")
        import_module("tenancy.stored_models")
        import_module("tenancy.billing_models")
        import_module("tenancy.operator_models")
        import_module("tenancy.key_mail_models")

    def ready(self) -> None:
        import_module("tenancy.stored.migrating")
