from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0018_key_mails")]

    operations = [
        migrations.AddField(
            "account",
            "asks_second_factor",
            models.BooleanField(
                default=False, db_default=False, help_text="Whether members without one are refused."
            ),
        ),
    ]
