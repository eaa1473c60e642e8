"""The time of a feedback as it was sent: it names the zone in which "today" is meant."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0039_sample_data")]

    operations = [
        migrations.AddField(
            model_name="feedback",
            name="feedback_time",
            field=models.TextField(blank=True, db_default="", default="", help_text="As the client sent it."),
        )
    ]
