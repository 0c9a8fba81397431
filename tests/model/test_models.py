from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from tiny import NORMS, TINY, build, empty_cache, padded, words

from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, MaskedLM
from transformer_core.model.positions import POSITIONAL_ENCODINGS

every_encoding = pytest.mark.parametrize("positional_encoding", POSITIONAL_ENCODINGS)
every_norm = pytest.mark.parametrize("norm", NORMS)
every_model = pytest.mark.parametrize("model_class", [EncoderDecoder, EncoderClassifier, DecoderLM])

SWITCHES = [
    *({"positional_encoding": name} for name in POSITIONAL_ENCODINGS if name != "sinusoidal"),
    {"position_base": 10.0},
    {"norm": "post"},
    {"norm": "none"},
    {"activation": "gelu"},
    {"activation": "swiglu"},
    {"scale_scores": False},
    {"residual": False},
    {"feed_forward": False},
    {"positions_along": "batch"},
    {"n_heads": 1},
]


def inputs(model_class, batch=2):
    """What the model reads, with padding where it may be."""
    source = padded([words(length) for length in range(9, 9 - batch, -1)])
    shapes = {EncoderDecoder: (source, words(batch, 7)), EncoderClassifier: (source,)}
    return shapes.get(model_class, (words(batch, 9),))


@every_encoding
@every_norm
def test_the_future_is_invisible_to_a_language_model(positional_encoding, norm):
    model = build(DecoderLM, positional_encoding=positional_encoding, norm=norm)
    tokens = words(2, 10)
    changed = tokens.clone()
    changed[:, 6:] = changed[:, 6:] % 16 + 1
    before, after = model(tokens), model(changed)
    torch.testing.assert_close(before[:, :6], after[:, :6])
    assert not torch.isclose(before[:, 6:], after[:, 6:]).all(dim=-1).any()


@every_encoding
@every_norm
def test_the_future_is_invisible_to_a_translator(positional_encoding, norm):
    model = build(EncoderDecoder, positional_encoding=positional_encoding, norm=norm)
    src, tgt = inputs(EncoderDecoder)
    changed = tgt.clone()
    changed[:, 4:] = changed[:, 4:] % 16 + 1
    before, after = model(src, tgt), model(src, changed)
    torch.testing.assert_close(before[:, :4], after[:, :4])
    assert not torch.isclose(before[:, 4:], after[:, 4:]).all(dim=-1).any()


@pytest.mark.parametrize("model_class", [EncoderDecoder, DecoderLM])
def test_without_the_causal_mask_every_position_sees_the_last_token(model_class):
    model, (*source, tokens) = build(model_class, causal_mask=False), inputs(model_class)
    changed = tokens.clone()
    changed[:, -1] = changed[:, -1] % 16 + 1
    before, after = model(*source, tokens), model(*source, changed)
    assert not torch.isclose(before, after).all(dim=-1).any()


@every_encoding
@every_norm
def test_padding_changes_nothing_in_a_classifier(positional_encoding, norm):
    model = build(EncoderClassifier, positional_encoding=positional_encoding, norm=norm)
    rows = [words(length) for length in (3, 8, 5)]
    torch.testing.assert_close(model(padded(rows)), torch.cat([model(row[None]) for row in rows]))


@every_encoding
@every_norm
@pytest.mark.parametrize("causal_mask", [True, False])
def test_padding_changes_nothing_in_a_translator(positional_encoding, norm, causal_mask):
    switches = {"positional_encoding": positional_encoding, "norm": norm}
    model = build(EncoderDecoder, **switches, causal_mask=causal_mask)
    sources, targets = ([words(length) for length in lengths] for lengths in ((3, 8, 5), (7, 2, 4)))
    together = model(padded(sources), padded(targets))
    for i, (src, tgt) in enumerate(zip(sources, targets, strict=True)):
        torch.testing.assert_close(together[i, : len(tgt)], model(src[None], tgt[None])[0])


def test_without_the_causal_mask_what_is_cached_stays_visible():
    model, cache, tokens = build(DecoderLM, causal_mask=False), empty_cache(), words(2, 9)
    first, rest = tokens.split([5, 4], dim=1)
    changed = first % 16 + 1
    assert model.decoder_mask(tokens, None).shape == (2, 1, 1, 9)
    model(first, cache=cache)
    assert model.decoder_mask(rest, cache).expand(2, 1, 4, 9).all()
    other = empty_cache()
    model(changed, cache=other)
    before, after = model(rest, cache=cache), model(rest, cache=other)
    assert not torch.isclose(before, after).all(dim=-1).any()


@every_encoding
@pytest.mark.parametrize("chunk", [1, 3])
def test_a_cached_language_model_equals_the_full_forward(positional_encoding, chunk):
    model = build(DecoderLM, positional_encoding=positional_encoding)
    tokens, cache = words(2, 10), empty_cache()
    cached = torch.cat([model(part, cache=cache) for part in tokens.split(chunk, dim=1)], dim=1)
    torch.testing.assert_close(cached, model(tokens))


@every_encoding
@pytest.mark.parametrize("chunk", [1, 3])
def test_a_cached_translator_equals_the_full_forward(positional_encoding, chunk):
    model = build(EncoderDecoder, positional_encoding=positional_encoding)
    (src, tgt), cache = inputs(EncoderDecoder), empty_cache()
    memory, parts = model.encode(src), tgt.split(chunk, dim=1)
    cached = torch.cat([model.decode(part, memory, src, cache=cache) for part in parts], dim=1)
    torch.testing.assert_close(cached, model(src, tgt))


@every_encoding
@pytest.mark.parametrize("rows", [[2, 0, 0, 1], [1], [0, 1, 1]])
def test_a_cached_language_model_follows_its_rows(positional_encoding, rows):
    model = build(DecoderLM, positional_encoding=positional_encoding)
    past, new, cache = words(3, 5), words(len(rows), 4), empty_cache()
    model(past, cache=cache)
    cache.select(torch.tensor(rows))
    full = model(torch.cat([past[rows], new], dim=1))
    torch.testing.assert_close(model(new, cache=cache), full[:, 5:])


@every_encoding
@pytest.mark.parametrize("rows", [[2, 0, 0, 1], [1], [0, 1, 1]])
def test_a_cached_translator_follows_its_rows(positional_encoding, rows):
    model = build(EncoderDecoder, positional_encoding=positional_encoding)
    (src, past), new, cache = inputs(EncoderDecoder, 3), words(len(rows), 4), empty_cache()
    memory = model.encode(src)
    model.decode(past, memory, src, cache=cache)
    cache.select(torch.tensor(rows))
    full = model(src[rows], torch.cat([past[rows], new], dim=1))
    cached = model.decode(new, memory[rows], src[rows], cache=cache)
    torch.testing.assert_close(cached, full[:, 7:])


@every_model
def test_token_vectors_in_place_of_ids_give_the_same_logits(model_class):
    model, tokens = build(model_class), inputs(model_class)
    stack = model.decoder if model_class is DecoderLM else model.encoder
    vectors = F.embedding(tokens[0], stack.embedding.weight) * 32**0.5
    torch.testing.assert_close(model(*tokens, inputs_embeds=vectors), model(*tokens))
    assert not torch.allclose(model(*tokens, inputs_embeds=0 * vectors), model(*tokens))


@every_model
@pytest.mark.parametrize("switch", SWITCHES, ids=str)
def test_every_switch_changes_what_the_same_weights_compute(model_class, switch):
    base, changed, tokens = build(model_class), build(model_class, **switch), inputs(model_class)
    changed.load_state_dict(base.state_dict(), strict=False)
    assert not torch.allclose(base(*tokens), changed(*tokens), atol=1e-3)


def test_positions_along_the_batch_are_the_same_for_every_token_of_a_sentence():
    model = build(DecoderLM, positions_along="batch", max_len=4)
    table, x = model.decoder.positions.table, torch.zeros(6, 9, TINY.d_model)
    rows = torch.cat([table, table[:2]])  # a batch larger than the table begins it anew
    torch.testing.assert_close(model.decoder.add_positions(x, 0), rows[:, None].expand_as(x))


def test_mean_pooling_leaves_padding_out():
    model, rows = build(EncoderClassifier, pooling="mean"), [words(n) for n in (3, 8, 5)]
    alone = torch.cat([model(row[None]) for row in rows])
    torch.testing.assert_close(model(padded(rows)), alone)
    states = model.encoder(model.encoder.embed(rows[0][None]), torch.tensor(True))
    torch.testing.assert_close(alone[0], model.head(states[0].mean(0)))


def test_dropout_acts_in_training_alone():
    model, tokens = build(DecoderLM, dropout=0.1), words(2, 10)
    assert torch.equal(model(tokens), model(tokens))
    model.train()
    assert not torch.allclose(model(tokens), model(tokens))


def test_a_translator_has_one_embedding_for_source_target_and_output():
    model = build(EncoderDecoder)
    assert model.decoder.embedding is model.encoder.embedding
    model.encoder.embedding.weight.data[5] = 0
    logits = model(*inputs(EncoderDecoder))
    assert (logits[..., 5] == 0).all()
    assert (logits[..., 4] != 0).all()


def test_tied_matrices_count_once():
    attention, feed_forward, norm = 4 * (32 * 32 + 32), 2 * 32 * 48 + 48 + 32, 2 * 32
    encoder = 2 * (attention + feed_forward + 2 * norm) + norm
    decoder = 2 * (2 * attention + feed_forward + 3 * norm) + norm
    assert EncoderDecoder(TINY).n_parameters == 17 * 32 + encoder + decoder


def test_a_classifier_has_one_logit_per_class():
    assert build(EncoderClassifier, n_classes=5)(words(2, 9)).shape == (2, 5)


@pytest.mark.parametrize(
    "field, value, complaint",
    [
        ("n_heads", 5, "d_model=32 is not divisible by n_heads=5"),
        ("n_layers", 0, "n_layers=0 must be a whole number of at least 1"),
        ("d_ff", 4.5, "d_ff=4.5 must be a whole number of at least 1"),
        ("dropout", 1.0, "dropout=1.0 must be at least 0 and below 1"),
        ("norm", "rms", "norm='rms' must be 'pre', 'post' or 'none'"),
        ("pooling", "max", "pooling='max' must be 'cls' or 'mean'"),
        ("residual", "false", "residual='false' must be True or False"),
        ("positions_along", "heads", "positions_along='heads' must be 'length' or 'batch'"),
    ],
)
def test_an_impossible_config_is_refused_with_its_numbers(field, value, complaint):
    with pytest.raises(ValueError, match=complaint):
        replace(TINY, **{field: value})


def test_a_language_model_learns_to_copy():
    model = DecoderLM(replace(TINY, dropout=0.0, positional_encoding="rotary"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for _ in range(250):
        half = words(32, 5)
        tokens = torch.cat([half, half], dim=1)
        logits = model(tokens[:, :-1])[:, 4:]
        loss = F.cross_entropy(logits.flatten(0, 1), half.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    copied = (logits.argmax(-1) == half).float().mean()
    assert copied > 0.9


def test_asking_at_some_places_gives_the_logits_of_these_places():
    model, tokens = build(MaskedLM), words(2, 6)
    places = torch.tensor([[True, False, True, True, False, False], [False] * 5 + [True]])
    torch.testing.assert_close(model(tokens, wanted=places), model(tokens)[places])
