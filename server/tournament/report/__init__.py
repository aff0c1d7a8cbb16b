"""The report of a tournament: pages, one for each player too, and tables; static, for any web site."""
