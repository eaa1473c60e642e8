"""The REST API of Acontext's sessions, skills and learning spaces, under `/api/v1`."""
