"""Commands about equilibria: solving games, measuring players, answering them."""
