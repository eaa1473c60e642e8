"""Keys are found by the beginning of their secret, for requests that showed a wrong one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0025_oauth_grant")]

    operations = [
        migrations.AddIndex(
            model_name="apikey",
            index=models.Index(fields=["public_id"], name="api_key_by_public_id"),
        ),
    ]
