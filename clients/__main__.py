"""``python -m clients NAME HOST PORT`` is ``riverboat bot NAME HOST PORT``."""

from clients.commands.bot import bot

bot(prog_name="python -m clients")
