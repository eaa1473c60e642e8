"""The skill that a file is a copy of: its next copy is the next version, whatever other skills are called."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledgebase", "0004_fragment_of_account")]

    operations = [
        migrations.AddField("knowledgefile", "copied_from", models.UUIDField(blank=True, null=True)),
    ]
