"""One module a view, named as its script in assets/views: its HTML, and the data it is handed.
A large view has several scripts, their names beginning with its own.
Begin with `view.py` and assets/views/shared.js. Text is never parsed as markup, and
hovering never asks the server.
"""
