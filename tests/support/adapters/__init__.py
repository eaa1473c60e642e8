"""The agent frameworks that the adapters' tests call, in an environment of their own."""
