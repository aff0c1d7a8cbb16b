"""Kernels of counterfactual regret minimisation, on whole game trees and sampled, and of best responses."""
