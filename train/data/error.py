"""What is wrong with data, for those who do not read any themselves."""


class DataError(ValueError):
    """Data that cannot be read; the message names the files and what is wrong with them."""
