import django.contrib.postgres.fields
import django.contrib.postgres.indexes
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tenancy", "0005_project_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="storedanswer",
            name="subjects",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=120), db_default=[], default=list, size=None
            ),
        ),
        migrations.AddIndex(
            model_name="storedanswer",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["subjects"], name="stored_answer_by_subject"
            ),
        ),
    ]
