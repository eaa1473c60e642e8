"""Two fields are called after what they hold; their columns keep their names, so hosts of two releases may serve at
once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("tenancy", "0033_user_by_email")]

    operations = [
        migrations.AlterField(
            model_name="modelprovider",
            name="sealed_key",
            field=models.BinaryField(db_column="sealed_key", editable=False, null=True),
        ),
        migrations.RenameField("modelprovider", "sealed_key", "encrypted_key"),
        migrations.AlterField(
            model_name="stripecustomer",
            name="heard_of",
            field=models.CharField(
                blank=True, db_column="heard_of", db_default="", default="", max_length=255
            ),
        ),
        migrations.RenameField("stripecustomer", "heard_of", "last_event_id"),
    ]
