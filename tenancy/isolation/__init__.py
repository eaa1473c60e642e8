"""What keeps tenants apart: scoped queries, private fields, encryption."""
