"""What feedback and talk change in knowledge bases, and how such a change is reverted."""
