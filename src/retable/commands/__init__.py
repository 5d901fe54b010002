"""The commands of `retable`, a module each."""
