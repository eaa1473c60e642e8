"""The bytes of an account are counted table by table: a base's fragments must be found by their account."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("knowledgebase", "0003_logins_leave")]

    operations = [
        migrations.AddIndex("fragment", models.Index(fields=["account"], name="fragment_of_account")),
    ]
