"""What of the machine matters to numbers and speed."""
