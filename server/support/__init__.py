"""Plain services for the whole house.

===================  ===============================================================================
``errors``           errors that end a match or a command in one line
``addresses``        those to listen on, and those that limits count by
``allowance``        how much somebody may do at once, and how much more with time
``console``          messages to the operator on stderr
``record_file``      the match log and the transaction log on disk
``private_files``    files that only our own user can read
``toml_text``        TOML with the places of its values, for files that people write
``seat_tokens``      seat tokens from files and the environment
``options``          types of options, and those that ``--help`` shows apart
``talk``             a stream that ends quietly
``turns``            the order in which clients are served
``mcp_server``       the tools of an agent as an MCP server
===================  ===============================================================================
"""
