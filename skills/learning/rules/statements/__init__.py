"""What a statement says: of whom or what, of which kind, and how near it is to another."""
