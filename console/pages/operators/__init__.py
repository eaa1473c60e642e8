"""Pages of the operators of this installation, inside Django's admin site."""
