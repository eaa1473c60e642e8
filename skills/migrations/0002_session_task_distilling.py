from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("skills", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="sessiontask",
            name="distilling",
            field=models.CharField(
                blank=True,
                choices=[("waiting", "waiting"), ("done", "done"), ("failed", "failed")],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="sessiontask",
            name="distilled",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
    ]
