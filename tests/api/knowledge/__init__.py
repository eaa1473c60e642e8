"""Knowledge bases, their files and skills."""
