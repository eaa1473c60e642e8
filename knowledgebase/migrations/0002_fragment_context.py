"""What leads up to a passage, beside the passage itself."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledgebase", "0001_initial")]
    operations = [
        migrations.AddField(
            model_name="fragment",
            name="context",
            field=models.TextField(blank=True, db_default="", default=""),
        ),
    ]
