"""The killer bot: Peretz's "Hold'em Killer", straight play by odds against hands opponents would have played.

============  ======================================================================================
``agent``     the bot itself, before the flop and after it
``preflop``   before the flop: the book of flop configurations, the one-chip game, or Sklansky's groups
``reading``   what opponents may hold: filters for their actions, scaled by how loosely they have played
``straight``  after the flop: hand odds compared with the price, free cards, bluffs
============  ======================================================================================
"""
