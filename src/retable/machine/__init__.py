"""Properties of the machine that affect numbers and speed."""
