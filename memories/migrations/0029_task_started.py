from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0028_memories_by_update")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="started_at",
            field=models.DateTimeField(blank=True, help_text="When the last attempt began.", null=True),
        ),
    ]
