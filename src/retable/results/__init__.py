"""Turn runs into tables, figures, claims and pages."""
