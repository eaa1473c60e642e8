"""The console's pages, one package an area."""
