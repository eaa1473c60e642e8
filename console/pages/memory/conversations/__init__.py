"""Conversations: the list, and the messages of one beside the memories that came of them."""
