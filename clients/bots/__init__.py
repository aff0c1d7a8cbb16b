"""The bots that play by rules, formulas, simulations and computed strategies; none imports another."""
