from importlib import import_module

from django.apps import AppConfig


class SkillsConfig(AppConfig):
    name = "skills"

    def ready(self) -> None:
        import_module("skills.receivers")
