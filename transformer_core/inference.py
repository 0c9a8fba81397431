"""Text in, result out: what callers outside this package use. No gradio, no plotly.

models = Models("checkpoints")
translate(models.translator, "Thank you.").text
translate_texts(models.translator, ["Thank you.", "Good night."])
classify(models.classifier, "A wonderful film.").probabilities
"".join(generate(models.language_model, "ROMEO:", max_new_tokens=200, seed=1))
"""

from transformer_core.checkpoint import CheckpointError, Trained
from transformer_core.published import Models
from transformer_core.tasks.classification import Classification, classify
from transformer_core.tasks.generation import generate
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import translate, translate_texts

__all__ = [
    "CheckpointError",
    "Classification",
    "InputError",
    "Models",
    "Trained",
    "classify",
    "generate",
    "translate",
    "translate_texts",
]
