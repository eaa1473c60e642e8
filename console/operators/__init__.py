"""The pages of whoever runs this installation, inside Django's admin site."""
