"""What a llama-server reads, keeps and restores, measured on servers that are started for it."""
