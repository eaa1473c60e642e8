"""How many bytes an account stores: counted by the database, limited by its plan. Not the files themselves."""
