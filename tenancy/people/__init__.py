"""Members of an account, invitations, what each may do; and operators who visit or grant."""
