"""Commands that solve games and measure strategies."""
