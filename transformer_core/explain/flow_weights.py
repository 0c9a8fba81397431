"""What every head gave every token that a flow draws: its picture asks for it by itself, later.

The functions are to those of flow.py as the weights are to the shares, and draw the same tokens.
"""

from dataclasses import dataclass

from torch import Tensor

from transformer_core.checkpoint import Trained
from transformer_core.explain.flow import first_drawn, layers
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder
from transformer_core.tasks.classification import Classification
from transformer_core.tasks.generation import Look
from transformer_core.tasks.translation import Sentence


@dataclass(frozen=True)
class Weights:
    """Of one column of layers; a tensor each layer."""

    tokens: list[str]
    self_weights: list[Tensor]  # (head, token, token)
    cross_weights: list[Tensor]  # (head, token, token of the stack before)


def translation_weights(trained: Trained[EncoderDecoder], sentence: Sentence) -> list[Weights]:
    """Of a translated sentence, out of the trace that it holds."""
    found = {site: sentence.view(site).weights for site in trained.model.sites}
    return [
        Weights(tokens, layers(found, stack, "self"), layers(found, stack, "cross"))
        for stack, tokens in (("encoder", sentence.src_tokens), ("decoder", sentence.read_tokens))
    ]


def sentiment_weights(
    trained: Trained[EncoderClassifier], found: Classification, places: list[int]
) -> list[Weights]:
    """Of a review's tokens at the places that its flow draws: to find them anew would take as long
    as the flow. found holds a trace."""
    weights = [found.view(site).weights[:, places][:, :, places] for site in trained.model.sites]
    tokens = found.review.tokens
    return [Weights([tokens[i] for i in places], weights, [])]


def story_weights(trained: Trained[DecoderLM], seen: Look) -> list[Weights]:
    """Of a story at the place that was looked at."""
    first = first_drawn(seen)
    weights = [seen.view(site).weights[:, first:, first:] for site in trained.model.sites]
    return [Weights(seen.tokens[first:], weights, [])]
