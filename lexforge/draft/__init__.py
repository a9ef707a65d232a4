"""Writing sections: a model puts slots into sentences, code puts the exact words into slots."""
