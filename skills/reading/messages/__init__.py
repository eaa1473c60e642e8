"""What one message says: requests, signs of how work went, statements, orders and the assistant's steps."""
