"""The Live lab: `lab.py` lays it out and wires it, `progress.py` says how a training goes."""
