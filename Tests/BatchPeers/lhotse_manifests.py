"""Lhotse writes cuts for `dictate batch`, and reads the supervisions that come back.

    lhotse_manifests.py write FOLDER    cuts of the recordings in a folder, to cuts.jsonl and cuts.jsonl.gz
    lhotse_manifests.py read FOLDER     checks the supervisions in FOLDER/results, and prints their number
"""

import importlib.abc
import importlib.machinery
import sys
import types
from pathlib import Path


class AnyName(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Unused


class Unused(metaclass=AnyName):
    """A class or function of torch, which also may decorate a function."""

    def __new__(cls, *arguments, **_):
        return arguments[0] if arguments else Unused


class UnusedModule(types.ModuleType):
    __path__ = []

    def __getattr__(self, name):
        return getattr(Unused, name)


class WithoutTorch(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Lhotse imports torch, but its manifests do not use it. It is too large to be installed for this."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return UnusedModule(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, WithoutTorch())

from lhotse import CutSet, Recording, RecordingSet, SupervisionSegment, SupervisionSet, validate  # noqa: E402


def recordings(folder):
    return RecordingSet.from_recordings(Recording.from_file(path) for path in sorted(folder.glob("*.wav")))


def write(folder):
    found = recordings(folder)
    said = SupervisionSet.from_segments(
        SupervisionSegment(
            id=f"said-{recording.id}", recording_id=recording.id, start=0.25, duration=recording.duration - 0.5,
            text="go forward “ten” 日本語", speaker="é", custom={"snr": 12.5})
        for recording in found)
    cuts = CutSet.from_manifests(recordings=found, supervisions=said).cut_into_windows(3)
    validate(cuts)
    for name in ["cuts.jsonl", "cuts.jsonl.gz"]:
        cuts.to_file(folder / name)
    print(len(cuts.to_eager()))


def read(folder):
    found = recordings(folder)
    cuts = {cut.id: cut for cut in CutSet.from_file(folder / "cuts.jsonl.gz")}
    said = SupervisionSet.from_file(folder / "results/supervisions.jsonl").to_eager()
    validate(said)
    assert [segment.id for segment in said] == list(cuts)
    words = 0
    for segment in said:
        cut = cuts[segment.id]
        assert segment.recording_id == cut.recording_id and segment.channel == cut.channel
        assert (segment.start, segment.duration) == (cut.start, cut.duration)
        assert segment.text.startswith("go forward ten <meters> & {stop}"), segment.text
        assert segment.custom["status"] == "done" and segment.custom["engine"] == "scripted"
        for word in segment.alignment["word"]:
            assert cut.start <= word.start and word.end <= cut.end + 0.001, word
            words += 1
    # Cuts of what was said are again those that were asked for.
    again = CutSet.from_manifests(recordings=found, supervisions=said).trim_to_supervisions(keep_overlapping=False)
    assert sorted((cut.start, cut.duration) for cut in again) == sorted((c.start, c.duration) for c in cuts.values())
    print(len(said), words)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
