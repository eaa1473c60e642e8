"""Sign-up, sign-in, second factors, sessions, and operators' access."""
