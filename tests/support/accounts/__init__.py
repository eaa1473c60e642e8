"""People, plans, payments and mails of an account."""
