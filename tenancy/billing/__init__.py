"""Plans that are paid for: checkout, invoices, and what Stripe says of them."""
