"""What is kept of a matter, in `work/matter.db`: ledger, bundle, corrections. SQLite lives here and nowhere else."""
