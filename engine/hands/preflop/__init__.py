"""The game before the flop: roll-outs, the shipped tables, the small games of the papers."""
