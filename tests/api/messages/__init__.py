"""Messages in, feedback, chat, and how far their tasks are."""
