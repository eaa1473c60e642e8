"""The documentation under `/docs/`: documents of the folder `docs`, the API reference, and `/llms.txt`."""
