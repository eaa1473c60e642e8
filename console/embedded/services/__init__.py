"""PostgreSQL and Valkey as child processes: their settings, roles and addresses."""
