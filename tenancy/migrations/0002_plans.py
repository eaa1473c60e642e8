"""The four plans."""

from django.db import migrations

PLANS = [
    # code, name, rank, knowledge bases, gigabytes each, requests a second
    ("free", "Free", 1, 10, 1, 50),
    ("starter", "Starter", 2, 30, 10, 100),
    ("pro", "Pro", 3, 100, 100, 200),
    ("enterprise", "Enterprise", 4, 1000, 1000, 500),
]


def add_plans(apps, schema_editor):
    plans = apps.get_model("tenancy", "Plan").objects.using(schema_editor.connection.alias)
    for code, name, rank, bases, gigabytes, requests in PLANS:
        plans.update_or_create(
            code=code,
            defaults={
                "name": name,
                "rank": rank,
                "knowledge_bases": bases,
                "knowledge_base_gigabytes": gigabytes,
                "requests_per_second": requests,
            },
        )


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0001_initial")]
    operations = [migrations.RunPython(add_plans, migrations.RunPython.noop)]
