"""The list of memories: what it is asked for, its columns, saved views, the trash."""
