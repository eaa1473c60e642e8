"""What is done before the processes start: migrations, static files, secrets that all hosts share."""
