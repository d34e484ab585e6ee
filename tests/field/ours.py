# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests in which quench itself is the peer of a virtual machine with soft-RoCE.
#
#   run_ours(NAME, ARGS, TRAFFIC)   a whole test: traffic(lab) with one guest that has booted
#   lab.one                         the guest
#   q = lab.begin(FLOW, OPTION...)  quench on ours.yaml, with this flow only
#   summary = lab.end(q)            it has ended; both have counted the same packets
#   reach(lab, q)                   waits until quench answers the guest
#   for r in lab.roce():            the RoCE packets of a run with CAPTURE, in their order:
#                                   r.from_us, r.opcode, r.psn, r.imm, r.payload
#   failed                          what same() has found
import collections
import struct

from guest import Failure, Lab, counters, run_lab

FLOWS = {"to": "back", "back": "to"}
CAPTURE = "ports.h:g1.capture=true"
READ_REQUEST = 12
READ_RESPONSES = (13, 14, 15, 16)
# Bytes between BTH and payload, by opcode of a reliable connection.
EXTENSIONS = {3: 4, 5: 4, 6: 16, 9: 4, 10: 16, 11: 20, 12: 16, 13: 4, 15: 4, 16: 4, 17: 4}
Roce = collections.namedtuple("Roce", "from_us opcode psn imm payload")
failed = []


def same(what, is_, want):
    if is_ != want:
        failed.append(f"{what}: {is_}, not {want}")


def packets(path):
    """The frames of a file of pcapng: its enhanced packet blocks."""
    with open(path, "rb") as f:
        data = f.read()
    at = 0
    while at < len(data):
        kind, size = struct.unpack_from("<II", data, at)
        if kind == 6:
            n = struct.unpack_from("<I", data, at + 20)[0]
            yield data[at + 28:at + 28 + n]
        at += size


def parse(frame):
    """A RoCEv2 packet over IPv4 without options; None: another frame."""
    if frame[12:15] != b"\x08\x00\x45" or frame[23] != 17 or frame[36:38] != b"\x12\xb7":
        return None
    end = 14 + int.from_bytes(frame[16:18], "big") - 4
    bth = frame[42:54]
    at = 54 + EXTENSIONS.get(bth[0], 0)
    return Roce(frame[29] == 9, bth[0], int.from_bytes(bth[9:12], "big"),
                int.from_bytes(frame[at - 4:at], "big"),
                frame[at:end - (bth[1] >> 4 & 3)])


class Ours(Lab):
    def __init__(self, folder):
        super().__init__(folder)
        self.quench = self.scenario = self.before = self.one = None

    def begin(self, flow, *options):
        """quench with one flow; the file without the other one, as a flow needs no peer then."""
        with open(self.scenario, encoding="utf-8") as f:
            lines = [s for s in f if not s.startswith(f"  {FLOWS[flow]}:")]
        path = self.folder + "/ours.yaml"
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(lines)
        self.before = counters(self.one)
        sets = [a for o in options for a in ("--set", o)]
        return self.run_quench(self.quench, path, "--force", *sets)

    def roce(self):
        return [r for r in map(parse, packets(self.folder + "/run/capture.pcapng")) if r]

    def end(self, process, copies=0, more=0, asked=0, served=0, refused=0):
        """`copies` packets came to the guest that are not ours, and `more` to us that are not the
        guest's. READs have so many requests that we have sent, or that have come; so many that
        came were refused by a NAK."""
        summary = self.stop_quench(process)
        flow, nic = summary["flows"][0], summary["nic_counters"][0]
        sent, came = (sum(row.get(k) or 0 for row in (flow, nic) for k in keys)
                      for keys in (("data_frames_tx", "ack_tx", "cm_tx"),
                                   ("data_frames_rx", "ack_rx", "nak_rx", "cm_rx")))
        sent, came = sent + asked + refused, came + served
        for _ in range(20):
            now = counters(self.one)
            delta = now[0] - self.before[0], now[1] - self.before[1]
            if delta == (came - more, sent + copies):
                break
            self.one.run("usleep 100000")
        same("RoCE packets taken by the guest and sent to it", delta[1], sent + copies)
        same("RoCE packets taken by us and sent by the guest", came, delta[0] + more)
        same("conserved", summary["verdicts"]["conserved"], True)
        same("descriptors missing", summary["verdicts"]["pool_missing"], 0)
        for d in summary["devices"]:
            for k in ("lost_rx", "lost_tx", "lost_own"):
                same(k, d[k], 0)
        if failed:
            process.log.seek(0)
            failed.append(process.log.read()[-2000:])
        print(f"{sent} RoCE packets sent to the guest, {came} taken from it")
        return summary


def reach(lab, q):
    """Waits until quench answers; what is lost before that is none of its packets."""
    for _ in range(20):
        if "bytes from" in lab.one.run("ping -c 1 -W 1 10.9.0.9; true"):
            return
        if q.poll() is not None:
            break
    q.log.seek(0)
    raise Failure(f"no ping to quench: {q.log.read()[-2000:]}")


def run_ours(name, args, traffic):
    """A whole test: traffic(lab) with one guest that has booted. Returns an exit status."""
    def test(lab, quench, root, guests):
        lab.quench, lab.scenario = quench, root + "/tests/field/ours.yaml"
        lab.one = guests[0]
        lab.one.ready()
        traffic(lab)
        if failed:
            raise Failure("\n".join(failed))

    return run_lab(name, args, Ours, 1, test)
