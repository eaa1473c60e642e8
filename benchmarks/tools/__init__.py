"""Makes what the product ships with, or loads data to look at; measures nothing."""
