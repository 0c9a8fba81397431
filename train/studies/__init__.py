"""The ablation studies: what each trains on, its full model, and a line per variant."""

from train.studies import copy_task, sentiment, shakespeare, translation
from train.studies.recipe import StudyPlan

STUDIES: dict[str, StudyPlan] = {
    "translation": translation.STUDY,
    "shakespeare": shakespeare.STUDY,
    "sentiment": sentiment.STUDY,
    "copy_task": copy_task.STUDY,
}
