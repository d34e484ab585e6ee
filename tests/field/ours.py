# SPDX-License-Identifier: BSD-3-Clause
# What the tests share in which quench itself is the peer of a virtual machine with soft-RoCE.
#
#   run_ours(NAME, ARGS, TRAFFIC)   a whole test: traffic(lab) with one guest that has booted
#   lab.one                         the guest
#   q = lab.begin(FLOW, OPTION...)  quench on ours.yaml, with this flow only
#   summary = lab.end(q)            it has ended; both have counted the same packets
#   failed                          what same() has found
from guest import Failure, Lab, counters, run_lab

FLOWS = {"to": "back", "back": "to"}
failed = []


def same(what, is_, want):
    if is_ != want:
        failed.append(f"{what}: {is_}, not {want}")


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

    def end(self, process, copies=0, more=0):
        """`copies` packets came to the guest that are not ours, and `more` to us that are not the
        guest's."""
        summary = self.stop_quench(process)
        flow, nic = summary["flows"][0], summary["nic_counters"][0]
        sent, came = (sum(row.get(k) or 0 for row in (flow, nic) for k in keys)
                      for keys in (("data_frames_tx", "ack_tx", "cm_tx"),
                                   ("data_frames_rx", "ack_rx", "nak_rx", "cm_rx")))
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
