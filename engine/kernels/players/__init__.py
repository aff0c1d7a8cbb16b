"""Kernels of probability triples and re-weighting: how players act, and what their actions tell.

==================  =================================================================================
``records``         what these kernels take and return; the names of columns
``hand_features``   what a hand is worth on a board at a glance
``hand_values``     what a hand is worth in a situation
``raises``          who goes on against a raise, and what it brings
``thresholds``      the formula's thresholds: from a public situation to what is done with which hand
``triples``         every number of the formula's probability triples
``player``          the player model: its features, its curves, and what a decision teaches
``reweighting``     from an action to new weights
``trials``          how hands are played out in simulations
==================  =================================================================================
"""
