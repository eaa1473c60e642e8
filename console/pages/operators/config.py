"""App config of Django's admin with a site of our own."""

from django.contrib.admin.apps import AdminConfig


class OperatorsConfig(AdminConfig):
    default_site = "console.pages.operators.site.OperatorSite"
