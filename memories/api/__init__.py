"""The REST API of MemOS Cloud, under `/api/openmem/v1`."""
