"""The Ablations tab: what the studies measured."""
