"""Sit-and-go: everybody sits down with the same chips, blinds rise, who has none left is out.

``rules``    the table between two hands: who sits where, with which stack, for which blinds
``log``      its log, a line for each hand: written, read back, checked
``playing``  how it is played, in processes that stay
"""
