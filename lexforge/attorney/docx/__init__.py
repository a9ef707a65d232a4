"""Drafts as Word documents. Models never write layout: they write blocks, and this package sets them."""

from lexforge.attorney.docx.write import write_docx

__all__ = ["write_docx"]
