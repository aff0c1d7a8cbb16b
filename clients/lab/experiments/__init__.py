"""Experiments, including those of the papers: each is its settings, its tasks and its findings.

An experiment is one module.  The fields of its settings are the options of its command, its tasks are
functions with arguments, whose results are kept in files; its findings are numbers, a report and pictures.
The rest is here once:

==============  ==================================================================================
``command``     settings that are options; the command with the options that all experiments share
``harness``     tasks done by several processes and resumed; line-ups, and how they are played; tables,
                pictures, and the files of the results
``regression``  lines and means of points that come in clusters
==============  ==================================================================================

======================  =============================================================
``calibration``         predictions and stated values compared with what happens
``circle``              each bot against each, with learning curves
``heuristic``           Table 1 of Saukonoja and Pasanen
``killer``              the book of flop configurations
``next_action``         how well opponent models predict the next action
``poker_learner``       the Poker Learner thesis, chapter 5
``range_of_skill``      lists of strategies, each of which beats all before it
``selective_sampling``  Loki's experiments and Poki's warnings
``sensitivity``         how much each of the formula's constants matters
``street_learner``      the learning curve of the street-learner
======================  =============================================================

``circle`` and ``heuristic`` play the long matches of ``harness`` and no tournament: a tournament draws other
cards, and keeps no results of the parts of a match, from which the learning curves are drawn.
"""
