"""Any request: addresses, keys, bodies, limits, logs, tenants."""
