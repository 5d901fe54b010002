"""From runs to what people read: tables, figures, claims, pages."""
