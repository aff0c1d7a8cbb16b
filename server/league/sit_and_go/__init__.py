"""Sit-and-go: everybody sits down with the same chips, blinds rise, players with none left are out.

Its rules are in `server.table.rules.sit_and_go`.

``log``      its log, a line for each hand: written, read back, checked
``table``    its hands at a table over sockets, for players of every kind
``running``  plays one with launched players, or without sockets in long-lived processes
"""
