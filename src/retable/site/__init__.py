"""The results site: a folder of static, self-contained pages generated from the bank alone."""
