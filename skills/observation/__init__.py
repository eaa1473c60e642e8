"""Messages of sessions read into tasks, preferences and plans, and passed on to learning."""
