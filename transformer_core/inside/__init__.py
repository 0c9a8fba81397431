"""One forward pass down to the number. Imports tasks and what they stand on; ui and train may
import it. Begin with `anatomy.py`, then `forward.py`, whose pass `stages.py` takes apart;
`encodings.py` looks at the positional encodings alone.
"""
