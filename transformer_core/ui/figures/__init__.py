"""Arrays and strings in, plotly figures out: pure functions, for the tabs alone. No gradio, no
model. Begin with `axes.py`.
"""
