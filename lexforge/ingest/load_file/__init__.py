"""Load files of a production: Concordance .DAT, Opticon .OPT, the files they name, and what is wrong with them."""
