"""The reader of English: from what users say to propositions, quoting what it cannot reword with certainty."""
