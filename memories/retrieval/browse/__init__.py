"""Lists and reviews of memories, end users and conversations: for pages of the console and for `get/memory`."""
