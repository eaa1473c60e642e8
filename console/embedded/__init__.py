"""The bundled services and their supervisor, which other packages do not know: children read the environment."""
