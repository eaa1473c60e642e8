"""What people come to the console for, from the first click to the last, in a real browser."""
