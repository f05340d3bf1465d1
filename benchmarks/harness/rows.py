"""Rows of the table: what was measured, beside whom, and whether the target was met."""
import dataclasses

from .rounds import Summary


@dataclasses.dataclass
class Row:
    work: str
    title: str
    kind: str  # faster, costs, share, under, is: how ratio and target are to be read
    unit: str  # s, bytes/s, flop/s, op/s, bytes: of ours and other
    ours: Summary | None = None
    against: str = ""
    other: Summary | None = None
    ratio: float | None = None
    target: float | None = None
    detail: bool = False  # one of many; shown in a table of its own
    note: str = ""  # why there is nothing to show
    held_back: str = ""  # why the peer is not at its best, so that the ratio is no headline
    not_held: bool = False  # whether the peer uses more than the level that everybody was to be held to

    @property
    def verdict(self):
        value = self.ours.median if self.kind == "under" and self.ours else self.ratio
        if self.note:
            return "not measured"
        if self.held_back:
            return f"held back: {self.held_back}"
        if self.target is None or value is None:
            return ""
        good = value <= self.target if self.kind in ("costs", "under") else value >= self.target
        return "met" if good else "missed"

    def as_json(self):
        return {**dataclasses.asdict(self), "verdict": self.verdict}

    @classmethod
    def from_json(cls, fields):
        fields = {key: value for key, value in fields.items() if key != "verdict"}
        for key in ("ours", "other"):
            fields[key] = Summary(**fields[key]) if fields[key] else None
        return cls(**fields)


class Rows:
    """Makes the rows of one work from its results. Who is named as (worker, number). A target is a number, or
    one for each level of vector instructions: {"avx512": 20, "avx2": 12}."""

    def __init__(self, results, level=""):
        self.results, self.level, self.rows = results, level, []

    def add(self, title, kind, unit, ours, other=None, target=None, **more):
        if isinstance(target, dict):
            target = target.get(self.level)
        mine = self.results.summary(*ours)
        theirs = self.results.summary(*other) if other else None
        row = Row(self.results.work, title, kind, unit, mine, other=theirs, target=target, **more)
        for who, found in ((ours, mine), (other, theirs)):
            if who and not found and not row.note:
                row.note = self.results.why_not(who[0])
        facts = self.results.facts.get(other[0], {}) if other else {}
        row.held_back, row.not_held = facts.get("held_back", ""), bool(facts.get("not_held"))
        if mine and theirs:
            row.ratio = (theirs.median / mine.median if kind == "faster"
                         else mine.median / theirs.median)
        self.rows.append(row)
        return row

    def faster(self, title, ours, other, against, target=None, **more):
        """How many times less time than `other`; at least `target`."""
        return self.add(title, "faster", "s", ours, other, against=against, target=target, **more)

    def costs(self, title, ours, other, against, target=None, unit="s", **more):
        """How many times as much as `other`; at most `target`."""
        return self.add(title, "costs", unit, ours, other, against=against, target=target, **more)

    def share(self, title, ours, other, against, unit, target=None, **more):
        """Which part of what is possible; at least `target`."""
        return self.add(title, "share", unit, ours, other, against=against, target=target, **more)

    def under(self, title, ours, target, unit="s", **more):
        """At most `target`, in the unit."""
        return self.add(title, "under", unit, ours, target=target, **more)

    def is_(self, title, ours, unit, **more):
        """A figure without a target."""
        return self.add(title, "is", unit, ours, **more)
