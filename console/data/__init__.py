"""What concerns a whole installation, account or project: backups, erasure, sample data, recall tests run again."""
