"""From the attorney's intake and the bundle to a plan: sections, stakes, and the passages each point may rely on."""
