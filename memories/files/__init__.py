"""The safe intake of files, for every app that takes files from strangers.

    with store.keeping() as kept:                            # what no committed row names is deleted
        # Base64 or a data URL; Source(url=…) is fetched safely. Each app sweeps its own folder.
        stored = receive_file(project, Source(text=…, name=…), "folder")
        kept.append(stored)
        ...                                                  # write the row that names `stored.key`; then, in its
        kept.keep_on_commit()                                # transaction, say so
    for fragment in parse(stored, pages=500).fragments: ...  # in a child process with limits
    store.delete([stored.key])                               # after the commit that deleted the row

`receive` and `parse` raise errors of the catalogue: what they say is for the developer and quotes no file.
Nothing is imported here: the child process that parses must not load Django.
"""
