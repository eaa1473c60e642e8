"""What measurements share: an installation, made-up data, tables of figures."""
