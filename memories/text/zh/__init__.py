"""What only Chinese needs."""
