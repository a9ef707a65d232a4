"""Pictures, and the words in them."""
