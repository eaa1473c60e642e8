from django.db import migrations, models

STATUSES = ["generated", "activated", "merged", "archived", "expired", "frozen"]


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0006_attachments"),
    ]

    operations = [
        migrations.AddField(
            model_name="memoryversion",
            name="status",
            field=models.CharField(
                blank=True,
                choices=[(status, status) for status in STATUSES],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="memoryversion",
            name="other_text",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
