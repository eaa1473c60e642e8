"""The bundled services and their supervisor. Nobody else knows that they exist: children read the environment."""
