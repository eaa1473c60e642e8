from django.apps import AppConfig


class SkillsConfig(AppConfig):
    name = "skills"

    def ready(self) -> None:
        from memories.retrieval.content_registry import register_shape
        from memories.values import Kind
        from skills import receivers  # noqa: F401  # connects them
        from skills.catalogue.search_results import build_skill_items

        register_shape(Kind.SKILL, build_skill_items)
