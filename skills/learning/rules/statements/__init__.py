"""What a statement is about, of which kind it is, and how similar it is to another."""
