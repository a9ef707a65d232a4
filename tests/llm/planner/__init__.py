"""The planner: what fits a board, and how fast it will be."""
