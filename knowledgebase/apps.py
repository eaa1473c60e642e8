from django.apps import AppConfig


class KnowledgeBaseConfig(AppConfig):
    name = "knowledgebase"
