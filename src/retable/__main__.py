"""`python -m retable`: the command `retable` of the sources that Python finds first."""

from retable.cli import main

main()
