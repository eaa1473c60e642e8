"""What is asked of Stripe: customers, subscriptions, its portal, and what its failures mean."""
