"""What the commands that measure published weights are made of: the texts they look at, rules for
what a head does, and what is lost without a piece of the source. For `train.heads`
and `train.alignment`. Begin with `seen.py`.
"""
