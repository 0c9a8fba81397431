"""The tab of the positional encodings."""
