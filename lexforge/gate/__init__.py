"""The gate: every mention of a text looked up in a bundle. No model is used or reachable from here."""
