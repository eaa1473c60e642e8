"""Points in time as people and clients write them, in English and Chinese."""
