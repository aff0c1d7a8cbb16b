"""The players' commands of the `riverboat` program, one module each; found by entry point."""
