"""Seats and the engines that serve them. Whoever wants words from a model asks a `Seat`."""
