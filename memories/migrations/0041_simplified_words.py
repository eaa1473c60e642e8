"""The search terms of memories in traditional Chinese are simplified, as those of questions and of later memories."""

from pathlib import Path

from django.db import migrations

LINES = (Path(__file__).parents[1] / "text/zh/traditional.txt").read_text("utf-8").splitlines()
PAIRS = [pair for line in LINES if not line.startswith("#") for pair in line.split()]
# Terms are words and pairs of characters, and each character is translated by itself.
TRADITIONAL, SIMPLIFIED = ("".join(side) for side in zip(*PAIRS, strict=True))
SIMPLIFY_WORDS = """
UPDATE memories_memory SET words = translate(words, 'TRADITIONAL', 'SIMPLIFIED')
 WHERE id IN (
    SELECT id FROM memories_memory WHERE account_id = $1 AND words ~ '[TRADITIONAL]' LIMIT 1000 FOR UPDATE
 )
""".replace("TRADITIONAL", TRADITIONAL).replace("SIMPLIFIED", SIMPLIFIED)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0040_feedback_time"), ("tenancy", "0022_back_fill")]

    operations = [
        migrations.RunSQL(
            [f"CALL tenancy_back_fill($back_fill${SIMPLIFY_WORDS}$back_fill$)"], migrations.RunSQL.noop
        )
    ]
