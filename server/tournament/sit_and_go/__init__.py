"""Sit-and-go: everybody sits down with the same chips, blinds rise, who has none left is out.

``rules``    the table between two hands: who sits where, with which stack, for which blinds
``log``      its log, a line for each hand: written, read back, checked
``table``    a table over sockets, for players of every kind
``seated``   how one is played with players that are launched
``playing``  how it is played without sockets, in processes that stay
"""
