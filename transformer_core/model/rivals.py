"""What else can classify a text: the models that a Transformer is compared with."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from transformer_core.model.config import ModelConfig
from transformer_core.model.masks import PAD
from transformer_core.model.models import Model, mean_of_real


class LSTMClassifier(Model):
    """The baseline before Transformers: one LSTM over the tokens, its states averaged.

    Of the config it uses vocab_size, d_model (of the embedding), d_ff (of the state), n_layers,
    dropout and n_classes.
    """

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(config.d_model, config.d_ff, config.n_layers, batch_first=True)
        self.head = nn.Linear(config.d_ff, config.n_classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (batch, length) -> logits (batch, n_classes)"""
        states, _ = self.lstm(self.dropout(self.embedding(tokens)))
        # padding comes last: it changes nothing
        return self.head(self.dropout(mean_of_real(states, tokens)))


class BagClassifier(Model):
    """No order and no interaction: the mean of the token vectors, classified (Joulin et al. 2017).

    Of the config it uses vocab_size, d_model, dropout and n_classes.
    """

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(config.d_model, config.n_classes)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (batch, length) -> logits (batch, n_classes)"""
        return self.head(self.dropout(mean_of_real(self.embedding(tokens), tokens)))


class LinearClassifier(Model):
    """One weight for each piece and for each pair of neighbouring pieces.

    The weights of those that occur in a text are summed, each counted once no matter where or how
    often it occurs (Wang and Manning 2012). Pairs share N_PAIRS places by a hash (Weinberger et al.
    2009). Of the config it uses vocab_size and n_classes.
    """

    N_PAIRS = 2**20
    SPREAD = 2_654_435_761  # 2³² over the golden ratio: neighbouring numbers end up far apart

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        self.head = nn.Linear(config.vocab_size + self.N_PAIRS, config.n_classes)
        nn.init.zeros_(self.head.weight)  # features that no training text has stay at 0

    def features(self, tokens: Tensor) -> Tensor:
        """The features of a text, each once; elsewhere PAD. (batch, length) -> (batch, n)"""
        first, second = tokens[:, :-1], tokens[:, 1:]
        number = (first * self.config.vocab_size + second) * self.SPREAD % 2**32
        pairs = self.config.vocab_size + number * self.N_PAIRS // 2**32
        found = torch.cat([tokens, pairs.where((first != PAD) & (second != PAD), PAD)], dim=1)
        found = found.sort(dim=1).values
        again = found.diff(dim=1, prepend=found.new_full((len(found), 1), PAD)) == 0
        return found.masked_fill(again, PAD)

    def forward(self, tokens: Tensor) -> Tensor:
        """tokens (batch, length) -> logits (batch, n_classes)"""
        features = self.features(tokens)
        weights = F.embedding(features, self.head.weight.T)
        return self.head.bias + (weights * (features != PAD)[..., None]).sum(1)
