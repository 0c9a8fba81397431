"""The error for unusable data, kept apart for modules that read none themselves."""


class DataError(ValueError):
    """Data that cannot be read; the message names the files and what is wrong with them."""
