"""What is brought to the twins from another tab, and where it can be taken from them."""

from transformer_core.model.trace import Site
from transformer_core.published import Models
from transformer_core.studies.records import Study
from transformer_core.studies.twins import sites_of
from transformer_core.ui.doors import go_home, part_of, see_inside
from transformer_core.ui.views.doors import doors_value


def begin_with(study: Study, part: str, head: int) -> tuple[Site | None, int]:
    """The twins' attention and head nearest to a part and head of another model, or the first."""
    sites = sites_of(study)
    site = nearest(sites, part) or first_site(sites)
    return site, min(head, heads_of(study)[-1]) if part else 1


def doors_and_kept(models: Models, name: str, text: str, site: Site | None, head: int) -> tuple:
    """The doors with a text and a head that somebody chose, and what the address keeps of it."""
    part = part_of(site) if site else ""
    doors = [see_inside(name, text, (), part, head)] if models.has(name) else []
    doors = [*doors, *go_home(name, text)]
    return doors_value(doors, {"part": part, "head": head}), part, head


def heads_of(study: Study) -> list[int]:
    """Numbers of the baseline's heads, from 1."""
    return list(range(1, study.baseline.record["model"]["n_heads"] + 1)) if study.baseline else [1]


def first_site(sites: list[Site]) -> Site | None:
    """The attention that is shown at first: cross-attention where there is some."""
    return min(sites, key=lambda site: site.kind != "cross", default=None)


def nearest(sites: list[Site], part: str) -> Site | None:
    """The attention whose layer is nearest to that of a part of another model, if there is any."""
    stack, layer, kind, *_ = [*part.split(":"), "", "", ""]
    same = [site for site in sites if (site.stack, site.kind) == (stack, kind)]
    if not same or not layer.isdecimal():
        return None
    return min(same, key=lambda site: abs(site.layer - int(layer)))
