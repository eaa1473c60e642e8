"""The chat completions of OpenAI's API at `/v1`: recalls, asks the project's model, remembers."""
