"""Files on their way into a base: checked, stored, recognised."""
