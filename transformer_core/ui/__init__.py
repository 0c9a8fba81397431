"""The app, which nothing below knows. Begin with `app.py`, then a tab in `tabs/`; `views/`
are drawn in the browser, `figures/` by plotly.
"""

import os

# Both before gradio is imported. No request leaves this machine; and gradio would otherwise
# rebuild a table of all past events after each of them.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("GRADIO_ANALYTICS_CACHE_FREQUENCY", "1000000")
