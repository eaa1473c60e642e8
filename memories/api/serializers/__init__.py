"""Bodies of the contract: wire names to values."""
