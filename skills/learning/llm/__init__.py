"""Learning with a chat model: it reads sessions, draws lessons and writes skills with tools."""
