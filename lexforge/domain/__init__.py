"""The nouns of LexForge: frozen data types, no behaviour beyond their own consistency."""
