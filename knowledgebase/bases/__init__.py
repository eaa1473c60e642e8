"""Knowledge bases: made, shared by projects, limited, archived."""
