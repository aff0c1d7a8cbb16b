"""The report of a tournament: pages, also one for each player, and tables; static, for any web site."""
