"""The OpenAPI description, as tests read it and copy from it."""
