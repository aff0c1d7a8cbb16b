"""The bots that play by rules, by formula and by simulation; none knows of another."""
