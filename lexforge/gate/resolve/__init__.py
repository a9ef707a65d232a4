"""One resolver for each kind of mention: it looks in the bundle and says what stands there."""
