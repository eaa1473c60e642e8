"""Knowledge bases of any size are searched by an index over the vectors of the default embedder.

The index is built beside a serving installation. A try that broke off leaves an invalid index, which the next one clears away.
"""

from django.db import migrations

# Whoever reads for long, as a dump does, is waited for; meanwhile everybody else goes on.
LONG_LOCK_TIMEOUT, USUAL_LOCK_TIMEOUT = "SET lock_timeout = '30min'", "RESET lock_timeout"
NAME = "memory_passages_a9b23c07b458"


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("memories", "0010_kinds_of_skill_tasks")]
    operations = [
        migrations.RunSQL(
            [
                LONG_LOCK_TIMEOUT,
                f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}",
                f"CREATE INDEX CONCURRENTLY {NAME} ON memories_memory"
                " USING hnsw ((embedding::vector(384)) vector_cosine_ops)"
                " WHERE kind = 'knowledge' AND embedding_model = 'multilingual-e5-small'",
                USUAL_LOCK_TIMEOUT,
            ],
            [LONG_LOCK_TIMEOUT, f"DROP INDEX CONCURRENTLY IF EXISTS {NAME}", USUAL_LOCK_TIMEOUT],
        ),
        # Every search reads the words that are not sorted into their index yet: 4 MB of them cost it 15 ms.
        migrations.RunSQL(
            "ALTER INDEX memory_words SET (gin_pending_list_limit = 256)",
            "ALTER INDEX memory_words RESET (gin_pending_list_limit)",
        ),
    ]
