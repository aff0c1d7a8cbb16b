"""The formula bot: Poki's betting strategy on weight tables and opponent models."""
