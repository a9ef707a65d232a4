"""Which documents repeat which."""
