"""Sit-and-go: everybody sits down with the same chips, blinds rise, players with none left are out.

``rules``    the table between two hands: who sits where, with which stack, for which blinds
``log``      its log, a line for each hand: written, read back, checked
``table``    a table over sockets, for players of every kind
``seated``   plays one with launched players
``playing``  plays one without sockets, in long-lived processes
"""
