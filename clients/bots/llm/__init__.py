"""A language model behind any endpoint that speaks the OpenAI dialect of chat completions.

`agent` is the player.  `prompt` is what the model is shown, `provider` asks for a completion, `reading` finds
the answer in it, `costs` adds up tokens and dollars, `transcript` keeps what was said so that a match can be
played again without a provider, and `settings` has the options.
"""
