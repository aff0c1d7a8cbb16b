"""What commands and bots show of odds and results: tables and pictures."""
