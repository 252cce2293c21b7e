"""Makes the sample PDFs. Standard library only; the same script makes the same bytes."""
