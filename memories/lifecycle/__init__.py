"""What becomes of memories after they were made: states, edits, deletion, trash, retention."""
