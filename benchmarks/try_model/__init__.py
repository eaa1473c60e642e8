"""`make try-model`: one round through Engram with a real chat model behind a real server."""
