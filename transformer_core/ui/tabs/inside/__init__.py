"""The Inside tab: a model, opened up."""
