"""End users: the list, the page of one, and their deletion."""
