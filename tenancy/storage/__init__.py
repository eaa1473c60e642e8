"""How many bytes an account stores, counted by the database and limited by its plan; files are elsewhere."""
