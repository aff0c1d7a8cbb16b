"""What players are tried in, wherever they sit: cards that are laid, other stacks; why an action is wrong.

Both the kit for agents (`clients.lab.testing`) and the house's gate (`clients.lab.check_bot`) try players in
these, so that the two say the same of the same fault.
"""

from engine.poker.situations.illegality import Illegality, why_illegal
from engine.poker.situations.tables import dealt_out, stacked_deal, with_stacks

__all__ = ["Illegality", "dealt_out", "stacked_deal", "why_illegal", "with_stacks"]
