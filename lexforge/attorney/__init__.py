"""What the attorney gets to see, and what comes back from her."""
