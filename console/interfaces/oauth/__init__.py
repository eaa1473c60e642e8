"""OAuth 2.1 for applications that cannot show an API key: allauth issues tokens, a grant binds them to a project."""
