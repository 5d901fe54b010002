"""Tables: measured beside published, with interval, match and verdict."""
