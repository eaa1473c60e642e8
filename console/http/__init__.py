"""What stands between the web server and Django: threads, connection bounds, headers, health."""
