"""The child process that parses files of strangers, how it confines itself, and its limits."""
