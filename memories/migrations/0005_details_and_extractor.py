from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memories", "0004_vectors_stored_in_row"),
    ]

    operations = [
        migrations.AddField(
            model_name="memory",
            name="details",
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name="memory",
            name="extracted_by",
            field=models.CharField(blank=True, db_default="", default="", max_length=120),
        ),
    ]
