"""Words of a text: search terms, white space, language, and lists of words; no grammar and no meaning."""
