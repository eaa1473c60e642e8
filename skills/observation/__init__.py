"""A session's messages read: tasks, preferences and plans, handed on to learning."""
