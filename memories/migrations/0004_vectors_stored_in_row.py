"""Vectors in the row itself: fetched from TOAST, an exact scan of 1,000 of them takes three times as long.

MAIN, not PLAIN: the widest vectors of other models do not fit a page.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memories", "0003_row_level_security")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE memories_memory ALTER COLUMN embedding SET STORAGE MAIN",
            "ALTER TABLE memories_memory ALTER COLUMN embedding SET STORAGE EXTERNAL",
        )
    ]
