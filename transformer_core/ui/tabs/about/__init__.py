"""The About tab: what is loaded, its scores, its commands."""
