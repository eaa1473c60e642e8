"""The OpenAPI description and what it promises."""
