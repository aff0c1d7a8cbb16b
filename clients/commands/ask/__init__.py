"""Commands that answer questions about hands and bots, and train bots."""
