"""One search box over everything in a project: pages, memories, end users, requests, knowledge bases, skills."""
