"""What a project sets about learning and skills."""
