"""From a matter's folder to a sealed bundle: every file has a fate and a reason."""
