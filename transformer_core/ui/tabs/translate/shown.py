"""What the Translate tab shows of a visitor's work: the value of every output."""

import time
from dataclasses import replace
from difflib import SequenceMatcher

import gradio as gr

from transformer_core.checkpoint import Trained
from transformer_core.explain.flow import translation_flow
from transformer_core.explain.roles import counted, dearest, labelled, roles_of
from transformer_core.inside.arithmetic import three_digits
from transformer_core.model.heads import every_head
from transformer_core.published import Models
from transformer_core.tasks.alignment import alignment_head
from transformer_core.tasks.requests import Token
from transformer_core.tasks.translation import Sentence, behind
from transformer_core.tokenization import EOS
from transformer_core.ui.doors import from_text, watch_it_form
from transformer_core.ui.head_switches import Measured, damage_to, heads_off, worth
from transformer_core.ui.place import Place
from transformer_core.ui.tabs.translate.work import UNCHANGED, Changes, Work
from transformer_core.ui.views.doors import doors_value
from transformer_core.ui.views.flow import flow_value
from transformer_core.ui.views.heads import SHOWN_TOKENS, attention_value
from transformer_core.ui.views.pieces import pieces_value
from transformer_core.ui.views.switches import INVITATION, switches_value
from transformer_core.ui.views.table import rows_value
from transformer_core.ui.views.tree import tree_value
from transformer_core.wording import amount, percent, quoted, signed

SURE = 0.8  # a piece with at least this probability counts as sure
N_RANKED = 5


def display(trained: Trained, work: Work, sentence: Sentence) -> tuple:
    """The outputs `Parts.shown` without the doors: sentence is what work looks at."""
    return (
        work,
        *work.kept.values(),
        time.monotonic(),
        german(work),
        choice(work),
        flow_value(translation_flow(trained, sentence)),
        ranking(sentence, work.length_penalty),
        searched(trained, sentence),
    )


def nothing() -> tuple:
    """The outputs `Parts.shown` while there is no text."""
    german, choice, picture = None, gr.Radio([], visible=False), None
    doors = doors_value((), Work().kept)
    ranked = tree = None
    first_screen = german, choice, picture
    return Work(), *Work().kept.values(), time.monotonic(), *first_screen, ranked, tree, doors


def german(work: Work, refusal: str = "") -> dict:
    """The translation: the pieces of the sentence looked at, and the sentences around it.

    With a refusal, which says why another text cannot be translated, it is shown as a past one.
    """
    if work.now is None:
        return pieces_value((), "", refusal=refusal)
    tokens = work.now.tokens
    return pieces_value(
        tokens,
        confidence(tokens) + changes(work),
        before=" ".join(work.texts[: work.shown]),
        after=" ".join(work.texts[work.shown + 1 :]),
        undo=there(work, work.before) if any(work.changes) else "",
        best=there(work, UNCHANGED) if any(work.changes) else "",
        refusal=refusal,
    )


def there(work: Work, changes: Changes) -> str:
    """The address of the sentence looked at, with other changes."""
    return Place("translate", settings=replace(work, changes=changes).kept).query


def doors_of(models: Models, work: Work, *, step: bool = False) -> dict:
    """Where the sentence looked at can be taken, with the pieces that are on screen."""
    written = [token.id for token in work.translated.tokens]
    doors = from_text(models, "translation", work.sources[work.shown], written)
    return doors_value([*doors, watch_it_form()], work.kept, step=step)


def confidence(tokens: list[Token]) -> str:
    """The model's certainty, in words; of the pieces that are text."""
    tokens = [token for token in tokens if token.id != EOS]
    if not tokens:
        return "It wrote nothing."
    sure = sum(token.prob >= SURE for token in tokens)
    least = min(tokens, key=lambda token: token.log_prob)
    whole = f"Sure of {sure} of {len(tokens)} pieces ({percent(SURE)} or more)"
    if least.prob >= SURE:
        return f"{whole}."
    below = min(least.prob, SURE - 0.01)  # what is not sure must not be rounded to what is
    prob = percent(below) if below >= 0.01 else "under 1\N{NO-BREAK SPACE}%"
    return f"{whole}, least of {quoted(least.text)} ({prob})."


def changes(work: Work) -> str:
    """What a visitor did to a translation, in words."""
    off = len(work.changes.off)
    forced = " The beginning is forced." if work.changes.forced else ""
    return forced + (f" {off} {'head is' if off == 1 else 'heads are'} off." if off else "")


def choice(work: Work) -> gr.Radio:
    """One of several sentences to look at; of one there is nothing to choose."""
    labels = [(source[:60], number) for number, source in enumerate(work.sources)]
    return gr.Radio(labels, value=work.shown, visible=len(labels) > 1)


def ranking(sentence: Sentence, length_penalty: float) -> dict:
    """The n best as a table, and by what they are ranked."""
    power = "" if length_penalty == 1 else f"^{length_penalty:g}"
    score = f"log-prob. / length{power}" if length_penalty else "log-prob."
    head, best = ["German", score], sentence.ranked[:N_RANKED]
    shown = [[one.text, three_digits(one.score)] for one in best]
    csv = [[one.text, f"{one.score + 0.0:.4g}"] for one in best]
    return rows_value([head, *shown], "ranking", "", csv=[head, *csv])


def searched(trained: Trained, sentence: Sentence) -> dict:
    """The tree of what the search considered."""
    n_considered, late = sum(len(step) for step in sentence.steps), behind(sentence)
    front = "all the way" if not late else f"but for {late} of its {len(sentence.tokens)} pieces"
    return tree_value(
        sentence,
        trained.tokenizer,
        f"The best pieces of each of {amount(len(sentence.steps), 'step')} are recorded, "
        f"{n_considered:,} in all. The winner led {front}.",
    )


def attended(trained: Trained, sentence: Sentence) -> dict:
    """Every head's map, that of the head that aligns words best at first."""
    (site, head, _), roles = alignment_head(trained), roles_of(trained)
    return attention_value(
        sentence,
        trained.model.sites,
        "Rows are queries and sum to 1, columns are keys, of which at most the last "
        f"{SHOWN_TOKENS} are shown. A decoder row is named by the piece "
        f"that was written there.{counted(roles)}{dearest(roles)}",
        first=(site.layer, head),
        roles=labelled(roles),
    )


def switched(trained: Trained, work: Work, measured: Measured | None) -> dict:
    """The head switches, and what each head is worth if that was measured."""
    now, off = work.translated, work.changes.off
    plain = work.plain or now
    damage = damage_to(plain, measured)
    diff = word_diff(plain.text, now.text) if off else []
    said, roles = told(trained, work, damage), labelled(roles_of(trained))
    return switches_value(every_head(trained.model), off, damage, said, diff=diff, roles=roles)


def told(trained: Trained, work: Work, damage: dict | None) -> str:
    """What the switches show, in words."""
    now = work.translated
    plain = work.plain or now
    if work.changes.off:
        off = heads_off(every_head(trained.model), work.changes.off)
        change = now.log_prob - plain.log_prob
        stays = ", and the text stays." if now.text == plain.text else "."
        return (
            f"{off}: the log-probability of the best translation "
            f"changes by {signed(change, 2)}{stays}"
        )
    if damage:
        what = "much the log-probability of the translation changes"
        return worth(damage, roles_of(trained), what)
    return INVITATION


def word_diff(before: str, after: str) -> list[list[str]]:
    """[[" ", word], ["-", word], ["+", word], …] from one text to the other."""
    old, new = before.split(), after.split()
    found = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [[" ", word] for word in old[a:b]]
        else:
            found += [*(["-", word] for word in old[a:b]), *(["+", word] for word in new[c:d])]
    return found
