"""The killer bot: Peretz's "Hold'em Killer", straight play by odds on what opponents would have played.

============  ======================================================================================
``agent``     the bot: before the flop and after it
``config``    its options
``groups``    Sklansky's groups
``preflop``   before the flop: the book of flop configurations, the one-chip game, or Sklansky's groups
``reading``   what opponents may hold: filters by their betting, as loosely as they have played
``straight``  after the flop: hand odds against the price, free cards, bluffs
============  ======================================================================================
"""
