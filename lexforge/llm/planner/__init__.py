"""The planner: what fits a board, how fast it will decode there, and what to set, from a file's header alone."""
