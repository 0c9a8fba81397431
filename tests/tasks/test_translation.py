import unicodedata

import pytest
import torch
from tiny import tiny_translator

from transformer_core.decoding.search import Candidate
from transformer_core.explain.knock_out import knock_out_translation
from transformer_core.model.trace import Site, Trace
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.sentences import (
    MAX_CHARACTERS,
    MAX_PIECES,
    MAX_SENTENCES,
    split_sentences,
)
from transformer_core.tasks.translation import translate, translate_sentence, translate_texts
from transformer_core.tokenization import BOS, EOS

SOURCE = "Speak, you are resolved to die."


@pytest.fixture(scope="module")
def translator():
    torch.manual_seed(3)
    return tiny_translator()


def teacher_forced(trained, sentence, trace=None):
    """Log-probabilities of the written pieces in one uncached pass."""
    written = [token.id for token in sentence.tokens]
    src, tgt = torch.tensor([sentence.src_ids]), torch.tensor([[BOS, *written[:-1]]])
    with torch.inference_mode():
        log_probs = trained.model(src, tgt, trace).log_softmax(-1)[0]
    return log_probs[range(len(written)), written]


def test_the_log_probability_is_what_one_full_pass_gives(translator):
    sentence = translate_sentence(translator, SOURCE)
    total = teacher_forced(translator, sentence).sum().item()
    assert sentence.log_prob == pytest.approx(total, abs=1e-4)
    assert sentence.ranked[0].log_prob == pytest.approx(total, abs=1e-4)
    assert sentence.ranked[0].text == sentence.text


def test_without_the_causal_mask_no_token_looks_up_what_follows_it():
    torch.manual_seed(3)
    trained = tiny_translator(causal_mask=False)
    sentence = translate_sentence(trained, SOURCE)
    assert sentence.log_prob == pytest.approx(sentence.ranked[0].log_prob, abs=1e-4)
    assert sentence.log_prob != pytest.approx(teacher_forced(trained, sentence).sum().item())


def test_every_map_comes_with_its_own_tokens(translator):
    sentence = translate_sentence(translator, SOURCE)
    for site in translator.model.sites:
        view = sentence.view(site)
        shape = (translator.model.config.n_heads, len(view.query_tokens), len(view.key_tokens))
        assert view.weights.shape == shape
        torch.testing.assert_close(view.weights.sum(-1), torch.ones(shape[:2]))
    cross = sentence.view(Site("decoder", 0, "cross"))
    assert cross.key_tokens[-1] == "[EOS]"
    assert cross.query_tokens == [token.text for token in sentence.tokens]
    assert sentence.view(Site("decoder", 0, "self")).key_tokens[0] == "[BOS]"


def test_a_forced_beginning_is_followed(translator):
    plain = translate_sentence(translator, SOURCE)
    other = next(a for a in plain.tokens[1].alternatives if a[0] not in (plain.tokens[1].id, EOS))
    forced = (plain.tokens[0].id, other[0])
    sentence = translate_sentence(translator, SOURCE, forced=forced)
    assert tuple(token.id for token in sentence.tokens[:2]) == forced
    assert sentence.tokens[1].prob == pytest.approx(other[2], abs=1e-4)


def test_a_beginning_longer_than_any_translation_is_refused(translator):
    with pytest.raises(InputError, match="at most, not 150"):
        translate_sentence(translator, SOURCE, forced=(7,) * 150)
    assert len(translate_sentence(translator, SOURCE, forced=(7,) * 100).tokens) >= 100


def test_forcing_what_it_would_have_said_changes_nothing(translator):
    plain = translate_sentence(translator, SOURCE, beam_size=1)
    forced = tuple(token.id for token in plain.tokens[:3])
    again = translate_sentence(translator, SOURCE, beam_size=1, forced=forced)
    assert again.tokens == plain.tokens


def test_every_step_holds_the_piece_that_won(translator):
    sentence = translate_sentence(translator, SOURCE)
    for token, step in zip(sentence.tokens, sentence.steps, strict=False):
        assert all(isinstance(candidate, Candidate) for candidate in step)
        assert token.id in {candidate.token for candidate in step if candidate.kept}


@pytest.mark.parametrize("length_penalty", [0.0, 1.0])
def test_the_steps_lead_to_every_sentence_that_was_found(translator, length_penalty):
    sentence = translate_sentence(translator, SOURCE, 4, length_penalty)
    alive, ended = {0: []}, {}
    for step in sentence.steps:
        before, alive = alive, {}
        for one in step:
            if one.kept:
                into = ended if one.token == EOS else alive
                into[one.index] = [*before[one.parent], one.token]
    found = ended or alive
    assert len(sentence.ranked) == len(found)
    for ranked in sentence.ranked:
        assert ranked.text == translator.tokenizer.decode(found[ranked.index])


def test_a_head_switched_off_contributes_nothing_and_only_then(translator):
    before = translate_sentence(translator, SOURCE)
    off = [(Site("decoder", 1, "cross"), 2), (Site("encoder", 0, "self"), 0)]
    without = translate_sentence(translator, SOURCE, off=off)
    masks = {site: torch.ones(1, 4) for site, _ in off}
    for site, head in off:
        masks[site][0, head] = 0
    expected = teacher_forced(translator, without, Trace(masks, record=False)).sum().item()
    assert without.log_prob == pytest.approx(expected, abs=1e-4)
    assert without.log_prob != pytest.approx(before.log_prob, abs=1e-3)
    assert translate_sentence(translator, SOURCE).tokens == before.tokens


@pytest.mark.parametrize("tokens", [2_048, 20])  # all heads in one batch, or a few
def test_the_knock_out_of_many_heads_at_once_equals_one_at_a_time(translator, tokens, monkeypatch):
    monkeypatch.setattr("transformer_core.explain.knock_out.KNOCK_OUT_TOKENS", tokens)
    sentence = translate_sentence(translator, SOURCE)
    damage = knock_out_translation(translator, sentence)
    assert len(damage) == len(translator.model.sites) * translator.model.config.n_heads
    for (site, head), change in damage.items():
        mask = torch.ones(1, 4)
        mask[0, head] = 0
        trace = Trace({site: mask}, record=False)
        alone = teacher_forced(translator, sentence, trace).sum().item() - sentence.log_prob
        assert change == pytest.approx(alone, abs=1e-4)


def test_sentences_are_translated_in_order(translator):
    text = "You are all. Speak, speak! Hear me"
    whole = translate(translator, text)
    assert [sentence.source for sentence in whole.sentences] == split_sentences(text)
    alone = [translate(translator, part).text for part in split_sentences(text)]
    assert whole.text == " ".join(alone)


def test_no_sentence_is_longer_than_the_model_can_place():
    small = tiny_translator(max_len=12)
    fits = "me " * 30
    while len(small.tokenizer.encode(fits)) > 11:
        fits = fits[:-1]
    assert translate(small, fits).sentences
    with pytest.raises(InputError, match="reads at most 11"):
        translate(small, fits + " hear me speak")
    forced = tuple(small.tokenizer.encode("me " * 30)[:11])
    assert len(translate_sentence(small, "me", 1, forced=forced).tokens) <= 12
    with pytest.raises(InputError, match="11 pieces at most"):
        translate_sentence(small, "me", 1, forced=(*forced, 7))


@pytest.mark.parametrize("beam_size, length_penalty", [(1, 1.0), (4, 0.0)])
def test_texts_together_become_what_each_becomes_alone(translator, beam_size, length_penalty):
    texts = ["You are all.", "Speak, speak!", SOURCE, "Hear me"]
    settings = beam_size, length_penalty
    alone = [translate_sentence(translator, text, *settings).text for text in texts]
    assert translate_texts(translator, texts, *settings) == alone


@pytest.mark.parametrize(
    "text, settings, sentence",
    [
        ("", {}, "nothing to translate"),
        (" \n ", {}, "nothing to translate"),
        (None, {}, "must be text"),
        ("a" * (MAX_CHARACTERS + 1), {}, f"at most {MAX_CHARACTERS:,}"),
        ("Speak! " * (MAX_SENTENCES + 1), {}, f"61 sentences .* at most {MAX_SENTENCES}"),
        ("Speak " * 300, {}, f"at most {MAX_PIECES}"),
        ("日本語日本語", {}, "and not: 日 本 語"),
        (unicodedata.normalize("NFD", "안녕하세요"), {}, "and not: 안 녕"),
        ("Speak", {"beam_size": 0}, "beam size must be"),
        ("Speak", {"beam_size": "four"}, "beam size must be"),
        ("Speak", {"beam_size": 2.5}, "beam size must be a whole number"),
        ("Speak", {"length_penalty": float("nan")}, "length penalty must be"),
    ],
)
def test_what_cannot_be_translated_gets_a_sentence(translator, text, settings, sentence):
    with pytest.raises(InputError, match=sentence):
        translate(translator, text, **settings)


@pytest.mark.parametrize(
    "text",
    [
        f"Speak to all of them, {odd}, and hear me."
        for odd in ("<b>", "[EOS]", "${1}", "{{x}}", "日", "\ud83d")
    ],
)
def test_odd_text_is_answered(translator, text):
    assert isinstance(translate(translator, text).text, str)
