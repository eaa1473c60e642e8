"""One module a format. They run in the child process only, on files that nobody may trust."""
