"""Knowledge bases and their files over HTTP."""
