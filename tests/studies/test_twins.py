"""Every variant reads the same text, and shows what a visitor could ask of it alone."""

import json
import re
from dataclasses import replace

import pytest
import torch
from tiny import TEXT, TINY, build, tiny_translator
from tiny_study import write_variant, write_writers
from torch.testing import assert_close

from transformer_core.model.models import EncoderClassifier
from transformer_core.model.rivals import BagClassifier, LSTMClassifier
from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.studies.records import read_study
from transformer_core.studies.twins import N_WRITTEN, attention, sites_of, twins
from transformer_core.tasks.classification import frame
from transformer_core.tasks.generation import SAMPLING, SEED, read, write
from transformer_core.tasks.requests import InputError
from transformer_core.tasks.translation import translate, translate_sentence
from transformer_core.tokenization import train_characters
from transformer_core.ui.views.twins import compared, twins_value
from transformer_core.wording import sure


@pytest.fixture
def writers(tmp_path):
    folder = write_writers(tmp_path)
    return Models(tmp_path), read_study(folder)


def study_of(tmp_path, name, models, tokenizer):
    """A study of these models, one seed each."""
    folder = tmp_path / "ablations" / name
    for variant, model in models.items():
        write_variant(folder / variant, model, (1.0,))
    (folder / "tokenizer.json").write_text(tokenizer.to_json())
    plan = {"variants": list(models), "metric": "loss", "unit": "pieces"}
    (folder / "study.json").write_text(json.dumps(plan))
    return Models(tmp_path), read_study(folder)


def test_every_variant_continues_the_text_as_it_would_alone(writers):
    models, study = writers
    found = list(twins(models, study, "All:\nSpeak"))
    assert [twin.title for twin in found] == [v.title for v in study.variants.values()]
    for name, twin in zip(study.variants, found, strict=True):
        trained = models.get(f"ablations/shakespeare/{name}")
        written = write(trained, "All:\nSpeak", N_WRITTEN, SAMPLING, SEED)
        assert twin.says == "".join(token.text for token in written)
        losses = [-token.log_prob for token in read(trained, "All:\nSpeak")[1:]]
        assert f"{sum(losses) / len(losses):.2f} nats" in twin.note
    assert len({twin.says for twin in found}) > 1


def test_who_stops_asking_leaves_gradients_to_others(writers):
    # the thread of a visitor who stops belongs to the next one, who may train
    answers = twins(*writers, "All:\nSpeak")
    next(answers)
    assert not torch.is_inference_mode_enabled()
    answers.close()


def test_one_tokenizer_serves_all_variants_of_a_study(writers):
    models, study = writers
    assert not list(models.folder.glob("ablations/*/*/tokenizer.json"))
    assert len({twin.title for twin in twins(models, study, "All")}) == 5


def test_each_variant_is_loaded_when_its_turn_comes(writers, monkeypatch):
    models, study = writers
    get, loaded = models.get, []
    monkeypatch.setattr(Models, "get", lambda _, name: loaded.append(name) or get(name))
    answers = twins(models, study, "All")
    next(answers)
    assert loaded == [f"ablations/shakespeare/{next(iter(study.variants))}"]
    answers.close()


def test_variants_without_weights_are_left_out(writers):
    models, study = writers
    (models.folder / "ablations" / "shakespeare" / "gelu" / "config.json").unlink()
    assert "gelu" not in [twin.title for twin in twins(models, study, "All")]


def test_the_sites_are_those_of_the_whole_model_or_of_the_first_that_is_there(writers):
    models, study = writers
    assert sites_of(study) == models.get("ablations/shakespeare/full").model.sites
    del study.variants["gelu"]
    assert sites_of(study)
    whole = study.variants.pop("full")
    first = next(iter(study.variants))
    assert sites_of(study) == models.get(f"ablations/shakespeare/{first}").model.sites
    study.variants["full"] = replace(whole, record={**whole.record, "kind": "Unheard"})
    assert sites_of(study) == []


def test_translations_are_greedy_and_come_with_their_attention(tmp_path):
    tiny = tiny_translator()
    shallow = tiny_translator(n_layers=1)
    models, study = study_of(
        tmp_path, "translation", {"full": tiny.model, "one_layer": shallow.model}, tiny.tokenizer
    )
    full, one_layer = twins(models, study, "Speak to all.")
    assert full.says == translate(models.get("ablations/translation/full"), "Speak to all.", 1).text
    cross = Site("decoder", 1, "cross")
    seen = attention(models, full)[cross]
    assert cross not in attention(models, one_layer)
    assert_close(seen.weights.sum(-1), torch.ones(seen.weights.shape[:2]))
    written = translate_sentence(models.get(full.folder), "Speak to all.", beam_size=1)
    assert_close(seen.weights, written.view(cross).weights)
    assert (seen.query_tokens, seen.key_tokens) == (
        [token.text for token in written.tokens],
        written.src_tokens,
    )


def test_a_twin_without_a_causal_mask_says_what_its_map_is(tmp_path):
    tiny, cheating = tiny_translator(), tiny_translator(causal_mask=False)
    each = {"full": tiny.model, "no_causal_mask": cheating.model}
    models, study = study_of(tmp_path, "translation", each, tiny.tokenizer)
    full, open_one = twins(models, study, "Speak.")
    assert "one pass over all" in open_one.note and "one pass" not in full.note
    found = [(twin, attention(models, twin)) for twin in (full, open_one)]
    cards = twins_value(found, Site("decoder", 0, "self"), 0, "…")["cards"]
    assert [card["causal"] for card in cards] == [True, False]


def test_classifiers_say_how_positive_a_text_is_with_attention_where_they_have_it(tmp_path):
    tokenizer = train_characters(TEXT)
    kinds = {"full": EncoderClassifier, "lstm": LSTMClassifier, "bag": BagClassifier}
    sizes = {"vocab_size": tokenizer.vocab_size}
    models = {name: build(kind, **sizes) for name, kind in kinds.items()}
    models["bag"].head.bias.data = torch.tensor([0.0, 99.0])
    loaded, study = study_of(tmp_path, "sentiment", models, tokenizer)
    full, lstm, bag = twins(loaded, study, "Speak, speak.")
    ids = frame(tokenizer.encode("Speak, speak."), TINY.max_len)
    with torch.inference_mode():
        probs = loaded.get("ablations/sentiment/lstm").model(torch.tensor([ids])).softmax(-1)
    assert lstm.note == f"{sure(probs[0, 1].item())} positive"
    assert bag.note == f"{sure(1.0)} positive", "and not 100 %"
    assert [bool(attention(loaded, twin)) for twin in (full, lstm, bag)] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Type a text"),
        (None, "Type a text"),
        ("a" * 15, "15 pieces; at most 14 fit here"),
        ("a" * 1_000_000, "has 1,000,000 characters; at most 1,200 fit"),
        ("All 日本", "do not know 日 本"),
    ],
)
def test_a_text_that_does_not_fit_gets_a_sentence(writers, text, sentence):
    with pytest.raises(InputError, match=sentence):
        list(twins(*writers, text))


def test_cards_show_one_head_or_say_why_not(writers):
    models, study = writers
    found = [(twin, attention(models, twin)) for twin in twins(models, study, "All:\nSpeak")]
    cards = twins_value(found, Site("decoder", 0, "self"), 1, "…")["cards"]
    by_title = {card["title"]: card for card in cards}
    assert by_title["one head"]["why"] == "It has no such head."
    assert by_title["full"]["queries"] == list("All:\nSpeak")
    assert "why" not in by_title["full"] and by_title["full"]["causal"]
    nowhere = twins_value(found, Site("decoder", 7, "self"), 0, "…")["cards"]
    assert {card["why"] for card in nowhere} == {"It has no such layer."}
    blind = twins_value([(found[0][0], {})], None, 0, "…")["cards"]
    assert blind[0]["why"] == "It has no attention to look at."


def test_words_that_the_first_says_otherwise_are_told_apart():
    first = "Zwei junge Männer spielen Fußball."
    assert compared(first, first) == [(word, False) for word in re.findall(r"\S+\s*", first)]
    told = compared("\nZwei Männer spielen\n im Park.", first)
    assert "".join(text for text, _ in told) == "\nZwei Männer spielen\n im Park."
    assert [text.strip() for text, differs in told if differs] == ["", "im", "Park."]
    assert compared("", first) == []
