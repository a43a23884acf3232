"""Identification risk of partially synthetic data (Reiter and Mitra; Drechsler and Reiter) and what goes with it: synthesis models, combining rules, risk and utility."""

from .combining import Combined, IntervalOverlap, ci_overlap, combine, combine_two_stage
