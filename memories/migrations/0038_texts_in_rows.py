"""Texts in the row itself, beside their vectors: a search for part of a text fetched each from TOAST, which took five
times as long as the comparison.

For rows that are written from now on. Those from before move when they are changed, or all at once by `VACUUM FULL`, which
locks the table meanwhile.
"""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("memories", "0037_memory_counts")]
    operations = [
        migrations.RunSQL(
            # Half a page, for texts beside a vector of 384 numbers (1.5 KB); the usual is a quarter.
            "ALTER TABLE memories_memory SET (toast_tuple_target = 4080)",
            "ALTER TABLE memories_memory RESET (toast_tuple_target)",
        )
    ]
