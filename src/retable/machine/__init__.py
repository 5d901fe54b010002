"""Find out what of the machine matters to numbers and speed."""
