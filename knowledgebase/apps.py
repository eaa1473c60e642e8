from importlib import import_module

from django.apps import AppConfig


class KnowledgeBaseConfig(AppConfig):
    name = "knowledgebase"

    def ready(self) -> None:
        import_module("knowledgebase.receivers")
