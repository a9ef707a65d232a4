"""`lexforge boards`: the servers of a board file."""
