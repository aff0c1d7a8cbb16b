"""The seat of an agent: what it sees, what it may answer, and which decision the answer belongs to, as JSON.

Language models, MCP clients, programs that speak HTTP or WebSocket and plain functions all play by these,
and each door only moves bytes::

    observation   what a seat sees
    answers       what it may answer
    turns         which decision an answer belongs to
    tools         what a client may ask for, by name
    usage         what a model's decision has cost: the ``#usage`` lines
"""
