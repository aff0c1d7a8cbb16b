"""The room's pages, for people: lobby, live tables, a seat in the browser, standings, past hands.

`scenes` puts a hand, as somebody may see it, into JSON, `audience` passes it on to those who watch, `seat`
brings a browser to the room's door, `past` reads the ledger, `pages` makes HTML, `guard` protects
all of it, and `serving` opens the port.  starlette and hypercorn are imported inside functions: they are an
extra, and `riverboat serve` says so if they are missing.
"""
