"""LexForge: litigation drafting with local models and a gate that has no model in it."""

__version__ = "0.1.0"
