"""The OpenAPI description: made of the operations, serializers, answer types and errors of the API itself."""
