"""Word documents and spreadsheets."""
