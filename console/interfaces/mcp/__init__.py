"""The Model Context Protocol at `/mcp`: tools, resources and prompts for assistants, over the official SDK."""
