"""Pages of plans: prices, subscriptions, applications for a larger plan."""
