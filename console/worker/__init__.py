"""The worker process: watchdog, shutdown, broker settings, a log line for each task."""
