"""Find out what every attention head looks at: `python -m train.heads`

On texts that the model was not trained on, each head is measured against rules that name keys
(`train.measuring.head_rules`). Its name is that of the rule that fits it on every second text;
what is reported is measured on the others, and so is a test of the name: tokens change places, or
words are put before a source, and the attention must go along with what the rule names then. What
a prediction loses without the head stands beside it. The result stands in the checkpoint, as
heads.json.
"""

from dataclasses import replace
from pathlib import Path

import torch
from tqdm import tqdm

from train.data.error import DataError
from train.data.hub import evenly
from train.measuring.held_out import Text, texts_of
from train.measuring.seen import Found, Measuring, losses
from train.running.flags import in_a_sentence
from train.running.measured import HEADS, read_flags, write_measured
from transformer_core.checkpoint import CheckpointError, Trained, load_trained
from transformer_core.explain.roles import ALIKE, BROAD, FITS, HeadRole, counted
from transformer_core.explain.rules import CROSS, SELF, WIDE
from transformer_core.model.heads import Head, every_head
from transformer_core.model.models import DecoderLM, EncoderClassifier, EncoderDecoder, Model
from transformer_core.model.trace import Site

N_TEXTS = 120
N_QUERIES = 50  # a rule with keys for fewer queries names no head
AHEAD = ("next", "2 ahead", "few ahead", "around")  # rules that no decoder head can follow
WIDER = 0.3  # a wide rule must exceed the best narrow one by more than this


def named(site: Site, found: Found) -> list[tuple[str | None, int]]:
    """The role of each head, and the number of its rule."""
    names = [*CROSS] if site.kind == "cross" else [*SELF, *WIDE]
    excess = found.plain.excess.masked_fill(found.plain.queries < N_QUERIES, 0.0)
    able = [n for n, name in enumerate(names) if site.stack == "encoder" or name not in AHEAD]
    roles: list[tuple[str | None, int]] = []
    for head, alike in enumerate(found.entropy.mean[0].tolist()):
        fits = [rule for rule in able if excess[rule, head] >= FITS]
        narrow = [rule for rule in fits if names[rule] not in WIDE]
        own = excess[:, head]
        best = max(narrow, key=own.__getitem__, default=-1)
        wide = max(fits, key=own.__getitem__, default=-1)
        if best < 0 or own[wide] > own[best] + WIDER:
            best = wide
        roles.append((names[best] if best >= 0 else BROAD if alike >= ALIKE else None, best))
    return roles


def reported(role: str | None, rule: int, head: int, found: Found) -> HeadRole:
    """What the other texts say of a head that was named."""
    if role == BROAD:
        return HeadRole(role, share=found.entropy.mean[0, head].item())
    if role is None:
        return HeadRole(None)
    share, chance = found.plain.mean[rule, head].item(), found.plain.mean_chance[rule, 0].item()
    if found.follow.queries[rule, 0] < N_QUERIES:
        return HeadRole(role, share, chance)
    follow, stay = (after.mean[rule, head].item() for after in (found.follow, found.stay))
    return HeadRole(role, share, chance, follow, stay)


@torch.inference_mode()
def measure(trained: Trained[Model], texts: list[Text]) -> dict[Head, HeadRole]:
    """The roles of all heads, and what is lost without each."""
    measuring, lost = Measuring(trained), []
    halves: list[dict[Site, Found]] = [{}, {}]
    for number, text in enumerate(tqdm(texts)):
        half = halves[number % 2]
        for site, found in measuring.see(text, texts[number - 1]).items():
            half[site] = half[site] + found if site in half else found
        lost.append(losses(trained.model, text))
    mean = torch.stack(lost).mean(0).tolist()
    error = (2 * torch.stack(lost).std(0) / len(lost) ** 0.5).tolist()
    roles, (naming, testing) = {}, halves
    for number, (site, head) in enumerate(every_head(trained.model)):
        role, rule = named(site, naming[site])[head]
        one = reported(role, rule, head, testing[site])
        roles[site, head] = replace(one, loss=mean[number], error=error[number])
    return roles


def write(checkpoint: Path, data: Path | None) -> None:
    """Measure a checkpoint on local data, or on the Hub's, and write its heads.json.

    CheckpointError or DataError if that cannot be done.
    """
    trained = load_trained(checkpoint, Model)
    if not isinstance(trained.model, (EncoderDecoder, EncoderClassifier, DecoderLM)):
        raise CheckpointError(f"{checkpoint} holds {type(trained.model).__name__}: no task for it.")
    texts = evenly(list(texts_of(trained, data)), N_TEXTS)
    if len(texts) < 2:
        raise DataError(f"{data or 'The Hub'} holds too few texts that are not too long.")
    roles = measure(trained, texts)
    told = [role.to_json(head) for head, role in roles.items()]
    write_measured(trained, HEADS, {"n_texts": len(texts), "heads": told})
    print(f"{checkpoint}:{counted(roles)}")


@in_a_sentence
def main(argv: list[str] | None = None) -> None:
    """Measure from the command line."""
    write(*read_flags(argv, "heads", __doc__, "translation"))


if __name__ == "__main__":
    main()
