"""Produced documents: what load files say of the files beside them, made into sources."""
