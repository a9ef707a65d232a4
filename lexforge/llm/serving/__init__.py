"""llama-server processes: their command lines, how they are started and stopped, and who listens where."""
