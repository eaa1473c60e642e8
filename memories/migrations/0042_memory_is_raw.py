"""The field is called after raw memories; its column keeps its name, so hosts of two releases may serve at once."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memories", "0041_simplified_words")]

    operations = [
        migrations.AlterField(
            model_name="memory",
            name="is_rough",
            field=models.BooleanField(db_column="is_rough", default=False),
        ),
        migrations.RenameField(model_name="memory", old_name="is_rough", new_name="is_raw"),
    ]
