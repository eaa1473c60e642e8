"""The child process that parses files of strangers, and how it confines itself."""
