"""What leaves LexForge after the attorney has been over it."""
