from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0004_model_usage"),
    ]

    operations = [
        migrations.AddField(
            model_name="project",
            name="settings",
            field=models.JSONField(db_default={}, default=dict),
        ),
    ]
