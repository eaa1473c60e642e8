"""What an account may use and what it used: quotas, rates, usage by day, alerts, refunds."""
