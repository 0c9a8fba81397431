"""What a source piece is worth to each target piece is what is lost when it is blanked."""

import torch
from tiny import tiny_translator

from train.measuring.occlusion import importance
from transformer_core.tokenization import BOS, EOS


@torch.inference_mode()
def test_a_piece_matters_as_much_as_is_lost_without_it():
    trained = tiny_translator()
    src = torch.tensor([[*trained.tokenizer.encode("Speak, speak."), EOS]])
    tgt = torch.tensor([[BOS, *trained.tokenizer.encode("hear me"), EOS]])
    found = importance(trained, src, tgt)
    assert found.shape == (tgt.size(1) - 1, src.size(1))

    def log_probs(blank: int | None) -> torch.Tensor:
        embedded = trained.model.encoder.embed(src).clone()
        if blank is not None:
            embedded[0, blank] = 0.0
        logits = trained.model(src, tgt[:, :-1], inputs_embeds=embedded)
        return logits[0].log_softmax(-1)[range(tgt.size(1) - 1), tgt[0, 1:]]

    for piece in range(src.size(1)):
        lost = log_probs(None) - log_probs(piece)
        torch.testing.assert_close(found[:, piece], lost, rtol=1e-4, atol=1e-4)
