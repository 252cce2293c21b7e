"""Generates the sample PDFs, deterministically, with the standard library only."""
