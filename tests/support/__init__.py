"""What tests share: a client, tenants, waiting. No test is in here."""
