"""Knowledge bases: the list, one base with its tabs, its files, its corrections."""
