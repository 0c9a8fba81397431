"""What a head can be named after: rules, each of which names keys for a query."""

NEAR = 4  # tokens to one side that are few
OFFSETS = {"itself": 0, "previous": -1, "next": 1, "2 before": -2, "2 ahead": 2}
SELF = {  # by its name, what a rule of self-attention names
    "itself": "the token itself",
    "previous": "the token before",
    "next": "the token after",
    "2 before": "the token two before",
    "2 ahead": "the token two ahead",
    "begin": "the sign at the beginning",
    "end": "the sign [end]",
    "same token": "other places with the same token",
    "punctuation": "punctuation",
    "spaces": "spaces",
    "line breaks": "line breaks",
}
WIDE = {  # names for heads that no narrower rule fits nearly as well
    "few before": f"the {NEAR} tokens before it",
    "few ahead": f"the {NEAR} tokens after it",
    "around": f"the {NEAR} tokens on either side",
}
CROSS = {
    "aligns": "the source token that the next one is made of",
    "just written": "the source token of what was written last",
    "end": "the sign [end]",
}

# what a rule goes by: a place in the text, a mark, or what the tokens are
GROUPS = {
    **dict.fromkeys((*OFFSETS, *WIDE), "place"),
    **dict.fromkeys(("begin", "end", "punctuation", "spaces", "line breaks"), "mark"),
    **dict.fromkeys(("same token", "aligns", "just written"), "token"),
}

SOMETIMES = (  # rules that name nothing for many tokens, which then do not count
    "aligns",
    "just written",
    "same token",
    "punctuation",
    "spaces",
    "line breaks",
)
