"""Measuring: all workers of a work are set up, then take turns; one works at a time."""
import collections
import dataclasses
import statistics
import time

from .worker import Failed, Missing

PAUSE = 0.02  # seconds, so that threads of the one before have gone to sleep


@dataclasses.dataclass
class Summary:
    """Of one number over all rounds."""
    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values):
        return cls(statistics.median(values), min(values), max(values))


@dataclasses.dataclass
class Results:
    """Of one work: numbers of every worker by name, in the order measured."""
    work: str
    values: dict = dataclasses.field(default_factory=dict)  # worker -> name -> list
    facts: dict = dataclasses.field(default_factory=dict)
    missing: dict = dataclasses.field(default_factory=dict)  # worker -> why
    failed: dict = dataclasses.field(default_factory=dict)

    def summary(self, who, name="seconds"):
        values = self.values.get(who, {}).get(name)
        return Summary.of(values) if values else None

    def fastest(self, workers):
        """The worker with the least median; the first where none was measured."""
        measured = [who for who in workers if self.summary(who)]
        return min(measured, key=lambda who: self.summary(who).median, default=workers[0])

    def why_not(self, who):
        return self.missing.get(who) or self.failed.get(who) or "not measured"

    def names(self, who):
        return list(self.values.get(who, {}))


def start_all(workers, results, say):
    """Those that could be started."""
    going = {}
    for who, worker in workers.items():
        say(f"{results.work}: {who} gets ready")
        try:
            worker.start()
            going[who] = worker
            results.facts[who] = worker.facts
        except Missing as reason:
            results.missing[who] = str(reason)
        except Failed as reason:
            results.failed[who] = str(reason)
    return going


def check_same_network(results):
    """A peer that runs another network than ours does not count. "torch 16" goes with "ours 16"."""
    for who, facts in results.facts.items():
        case = who.partition(" ")[2]
        ours = results.facts.get(f"ours {case}".strip(), {}).get("parameters")
        if ours and facts.get("parameters", ours) != ours:
            results.failed[who] = f"has {facts['parameters']} parameters, ours has {ours:.0f}"


def measure(work, workers, rounds, say=lambda _: None):
    results = Results(work)
    going = start_all(workers, results, say)
    check_same_network(results)
    values = collections.defaultdict(lambda: collections.defaultdict(list))
    for number in range(rounds):
        names = [who for who in going if who not in results.failed]
        turn = number % len(names) if names else 0  # so that none always runs after the same one
        for who in names[turn:] + names[:turn]:
            say(f"{work}: round {number + 1} of {rounds}, {who}")
            time.sleep(PAUSE)
            try:
                for name, value in going[who].measure().items():
                    values[who][name].append(value)
            except (Failed, ValueError, OSError) as reason:
                results.failed[who] = str(reason)
    for worker in going.values():
        worker.close()
    results.values = {who: dict(named) for who, named in values.items()
                      if who not in results.failed}
    return results
