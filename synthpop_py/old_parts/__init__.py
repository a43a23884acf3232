"""Work in parts and fingerprints: only for the rooms that are being rewritten; goes with them."""
