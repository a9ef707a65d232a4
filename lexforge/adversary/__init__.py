"""The seat that did not write a section attacks it. Its objections inform the attorney and clear nothing."""
