"""The results site: a folder of static pages that the bank alone gives, and that needs nothing beside it."""
