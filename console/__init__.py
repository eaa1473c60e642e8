"""The Django project and everything a browser or a terminal sees."""
