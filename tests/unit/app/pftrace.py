# SPDX-License-Identifier: BSD-3-Clause
# A trace of Perfetto, decoded from its bytes: packets, tracks, texts and events, and nothing that
# is not known here.
import struct

# Fields by number: name and kind; a dict is a message.
NAMED = {1: ("iid", "int"), 2: ("text", "text")}
DEFAULTS = {11: ("track", "int"), 31: ("values", "int*"), 45: ("reals", "int*")}
COUNTER = {3: ("unit", "int"), 4: ("scale", "int"), 6: ("unit_name", "text"), 7: ("axis", "text")}
TRACK = {1: ("uuid", "int"), 2: ("name", "text"), 5: ("parent", "int"), 8: ("counter", COUNTER),
	 11: ("children", "int"), 12: ("rank", "int"), 14: ("about", "text")}
NOTE = {1: ("key", "int"), 3: ("uint", "int"), 5: ("real", "double"), 6: ("literal", "text"),
	17: ("word", "int")}
EVENT = {3: ("category", "int"), 4: ("notes", [NOTE]), 9: ("type", "int"), 10: ("name", "int"),
	 11: ("track", "int"), 12: ("values", "int*"), 30: ("counter", "int"),
	 44: ("counter_real", "double"), 46: ("reals", "double*"), 47: ("flows", "fixed*"),
	 54: ("whose", "int")}
INTERNED = {1: ("category", [NAMED]), 2: ("name", [NAMED]), 3: ("key", [NAMED]),
	    29: ("word", [NAMED]), 43: ("whose", [NAMED])}
PACKET = {8: ("t", "int"), 10: ("sequence", "int"), 11: ("event", EVENT),
	  12: ("interned", INTERNED), 13: ("flags", "int"),
	  59: ("defaults", {11: ("event", DEFAULTS)}), 60: ("track", TRACK), 87: ("first", "int")}
BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            assert shift <= 70 and value < 1 << 64, "a varint is too long"
            return value, at


def message(data, fields, begin=0, end=None):
    """A message as a dict, each field by its name."""
    out, at, end = {}, begin, len(data) if end is None else end
    while at < end:
        tag, at = varint(data, at)
        assert tag >> 3 in fields, f"field {tag >> 3} at byte {at} is not known"
        name, kind = fields[tag >> 3]
        wire = tag & 7
        if wire == 0:
            assert kind in ("int", "int*"), name
            value, at = varint(data, at)
        elif wire == 1:
            assert kind in ("double", "double*", "fixed*"), name
            form = "<Q" if kind == "fixed*" else "<d"
            value, at = struct.unpack_from(form, data, at)[0], at + 8
        else:
            assert wire == 2 and (kind == "text" or isinstance(kind, (dict, list))), name
            n, at = varint(data, at)
            assert at + n <= end, f"{name} goes beyond its message"
            if kind == "text":
                value = data[at:at + n].decode()
            else:
                value = message(data, kind[0] if isinstance(kind, list) else kind, at, at + n)
            at += n
        if isinstance(kind, list) or kind in ("int*", "double*", "fixed*"):
            out.setdefault(name, []).append(value)
        else:
            assert name not in out, f"{name} stands there twice"
            out[name] = value
    assert at == end
    return out


class Track:
    def __init__(self, uuid, track, parent):
        self.uuid, self.name, self.parent = uuid, track["name"], parent
        self.counter, self.rank = track.get("counter"), track["rank"]
        self.values, self.slices, self.instants = [], [], []
        self.open = []

    def path(self):
        return (self.parent.path() if self.parent else ()) + (self.name,)


class Event:
    """A slice or an instant: `end` is None for an instant."""
    def __init__(self, t, name, category, whose, notes, flows):
        self.t, self.name, self.category, self.whose = t, name, category, whose
        self.notes, self.flows, self.end = notes, flows, None


class Trace:
    def __init__(self, data):
        self.tracks, self.sequences, self.events, self.flows = {}, {}, 0, {}
        self.bytes, at = len(data), 0
        waiting = []
        while at < len(data):
            tag, at = varint(data, at)
            assert tag == 1 << 3 | 2, f"byte {at}: no packet"
            n, at = varint(data, at)
            assert at + n <= len(data), "the last packet is cut"
            self.packet(message(data, PACKET, at, at + n), waiting)
            at += n
        # In a reader's order: by instant; events of one instant in the order of the file.
        for _, kind, track, event in sorted(waiting, key=lambda w: w[0]):
            self.place(kind, track, event)
        for track in self.tracks.values():
            assert not track.open, f"{track.path()}: a slice does not end"
            track.values.sort(key=lambda v: v[0])

    def packet(self, p, waiting):
        sequence = p["sequence"]
        assert p["flags"] & 2, "a packet does not say that it needs what came before"
        if "first" in p:
            assert sequence not in self.sequences and p["flags"] == 3
            self.sequences[sequence] = {"defaults": p["defaults"]["event"], "text": {}}
        state = self.sequences[sequence]
        for index, entries in p.get("interned", {}).items():
            for e in entries:
                assert e["iid"] and (index, e["iid"]) not in state["text"]
                state["text"][index, e["iid"]] = e["text"]
        if "track" in p:
            t = p["track"]
            assert t["uuid"] and t["uuid"] not in self.tracks
            assert "counter" not in t or "children" not in t
            parent = self.tracks[t["parent"]] if "parent" in t else None
            self.tracks[t["uuid"]] = Track(t["uuid"], t, parent)
        if "event" in p:
            self.events += 1
            self.event(p["t"], p["event"], state, waiting)

    def event(self, t, e, state, waiting):
        text, defaults = state["text"], state["defaults"]
        track = self.tracks[e.get("track", defaults.get("track"))]
        values = e.get("values", [])
        for uuid, v in list(zip(defaults.get("values", []), values, strict=False)) + list(
                zip(defaults.get("reals", []), e.get("reals", []), strict=False)):
            self.tracks[uuid].values.append((t, v))
        assert len(values) <= len(defaults.get("values", []))
        assert len(e.get("reals", [])) <= len(defaults.get("reals", []))
        if e["type"] == COUNT:
            assert track.counter is not None and len({"counter", "counter_real"} & e.keys()) == 1
            track.values.append((t, e.get("counter", e.get("counter_real"))))
            return
        assert track.counter is None and not {"counter", "counter_real"} & e.keys()
        notes = {}
        for n in e.get("notes", []):
            key, = n.keys() - {"key"}
            notes[text["key", n["key"]]] = text["word", n["word"]] if key == "word" else n[key]
        waiting.append((t, e["type"], track, Event(
            t, text["name", e["name"]] if "name" in e else None,
            text["category", e["category"]] if "category" in e else None,
            text["whose", e["whose"]] if "whose" in e else None, notes, e.get("flows", []))))

    def place(self, kind, track, event):
        event.track = track
        for flow in event.flows:
            self.flows.setdefault(flow, []).append(event)
        if kind == BEGIN:
            assert event.name and event.category
            track.open.append(event)
        elif kind == END:
            assert track.open, f"{track.path()}: a slice ends that has not begun"
            begun = track.open.pop()
            begun.end = event.t
            begun.notes |= event.notes
            track.slices.append(begun)
        else:
            assert kind == INSTANT and event.name and event.category
            track.instants.append(event)

    def all(self):
        for track in self.tracks.values():
            yield from track.slices
            yield from track.instants

    def find(self, *path):
        """The tracks whose path ends so, the run's own name left out."""
        return [t for t in self.tracks.values() if t.path()[1:] == path]
