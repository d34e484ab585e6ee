# SPDX-License-Identifier: BSD-3-Clause
"""What must hold of each trace: the rules of Lumina's analyser (SIGCOMM 2023), by a model of its
own of go-back-N, of READ and of the notification point. Each rule adds lines to `faults`.
"""
from capture import ACK, CNP, DATA, DELAY, NACK, NAK_PSN, PSNS, READ_REQUEST, RESPONSES

HALF = PSNS // 2


def ahead(psn, of):
    """How far `psn` is ahead of another one."""
    return (psn - of) % PSNS


class Responder:
    """Takes data frames in their order: what it answers, and what it counts."""

    def __init__(self, first):
        self.expected, self.open = first, False
        self.accepted = self.out_of_sequence = self.duplicates = 0
        self.naks = []  # the frames that it answers with a NAK, and the NAK's PSN

    def take(self, f):
        gap = ahead(f.psn, self.expected)
        if not gap:
            self.expected = (f.psn + 1) % PSNS
            self.open = False
            self.accepted += 1
        elif gap >= HALF:
            self.duplicates += 1
        else:
            self.out_of_sequence += 1
            if not self.open:
                self.naks.append((f, self.expected))
            self.open = True


class Counted:
    """What the trace says of the counters of the two ends."""

    def __init__(self):
        self.naks = self.timeouts = self.out_of_sequence = self.duplicates = 0
        self.implied_naks = self.bad_icrc = self.wrong_peer = self.ce = self.cnps = 0
        self.cnps_heard = self.resent = 0


def valid(f):
    """Whether the receiving NIC takes a frame."""
    return f.is_whole() and f.pkey == 0xffff


def complete(trace, faults):
    """Every frame that a host has sent is in the trace, and so is every frame that it has got; no
    host discards a frame that is right."""
    came = left = 0
    for host, nic in trace.nic.items():
        for inbound, figure in (True, "tx_frames"), (False, "rx_frames"):
            n = len(trace.at("s1:" + host, inbound, lambda f: True))
            came, left = came + inbound * n, left + (not inbound) * n
            if n != nic[figure]:
                faults.append(f"trace: {n} frames of {host}, which has {figure} {nic[figure]}")
        discards = sum(n for name, n in nic.items() if name.startswith("drop_") and
                       name not in ("drop_icrc", "drop_wrong_peer"))
        if discards:
            faults.append(f"{host} discards {discards} frames")
    dropped, copied = len(trace.hits("drop")), len(trace.hits("duplicate"))
    if came + copied != left + dropped:
        faults.append(f"trace: {came} + {copied} frames in, {left} + {dropped} out")


def resends(flow, sent, heard, counted, faults):
    """Each time that PSNs go back, the first is the open NAK's; without a NAK it is a timeout."""
    last, nak, acked = None, None, sent[0].psn
    events = [(f.t - f.wire() - DELAY, 1, f) for f in sent]
    events += [(f.t + f.wire() + DELAY, 0, f) for f in heard]
    for _, is_data, f in sorted(events, key=lambda e: e[:2]):
        if not is_data:
            if f.syndrome == NAK_PSN:
                nak = f.psn
            reached = (f.psn + (f.syndrome != NAK_PSN)) % PSNS
            if 0 < ahead(reached, acked) < HALF:
                acked = reached
            continue
        if last is not None and f.psn != (last + 1) % PSNS:
            if 0 < ahead(f.psn, last) < HALF:
                if f.psn != acked:
                    faults.append(f"{flow.name}: PSN {f.psn} follows {last}")
            elif nak is None:
                counted.timeouts += 1
            elif f.psn != nak:
                faults.append(f"{flow.name}: NAK of {nak}, but {f.psn} is sent again")
            nak = None
        last = f.psn
    return acked


def go_back_n(trace, flow, counted, faults, fails):
    """At most one NAK is open, with the first missing PSN; ACKs never fall; all is acknowledged."""
    sent = trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in DATA)
    came = trace.at(flow.dst_port, False, lambda f: flow.to_dst(f) and f.opcode in DATA)
    answers = trace.at(flow.dst_port, True, lambda f: flow.to_src(f) and f.opcode == ACK)
    heard = trace.at(flow.src_port, False, lambda f: flow.to_src(f) and f.opcode == ACK)
    first = sent[0].psn
    model = Responder(first)
    for f in came:
        if valid(f):
            model.take(f)
    naks = [f.psn for f in answers if f.syndrome == NAK_PSN]
    if naks != [psn for _, psn in model.naks]:
        faults.append(f"{flow.name}: NAKs of {naks}, not of {[psn for _, psn in model.naks]}")
    reached = [ahead(f.psn + (f.syndrome != NAK_PSN), first) for f in answers]
    if reached != sorted(reached):
        faults.append(f"{flow.name}: ACKs fall")
    acked = resends(flow, sent, heard, counted, faults)
    n = 1 + max(ahead(f.psn, first) for f in sent)
    if not fails and (model.accepted != n or ahead(acked, first) != n):
        faults.append(f"{flow.name}: of {n} packets {model.accepted} are delivered, "
                      f"{ahead(acked, first)} acknowledged")
    counted.naks += sum(f.syndrome == NAK_PSN for f in heard)
    counted.out_of_sequence += model.out_of_sequence
    counted.duplicates += model.duplicates
    counted.resent += len(sent) - n


class Keeper:
    """The responder of selective repeat: keeps frames that come early, and answers each."""

    def __init__(self, first):
        self.expected, self.early = first, set()
        self.accepted = self.out_of_sequence = self.duplicates = 0

    def take(self, f):
        """Returns the PSN that is expected then, and the PSN that a NACK names; None: an ACK."""
        gap = ahead(f.psn, self.expected)
        if gap >= HALF or f.psn in self.early:
            self.duplicates += 1
        else:
            self.accepted += 1
            self.out_of_sequence += gap > 0
            self.early.add(f.psn)
        while self.expected in self.early:
            self.early.discard(self.expected)
            self.expected = (self.expected + 1) % PSNS
        return self.expected, f.psn if 0 < gap < HALF else None


class Repairer:
    """What the requester of selective repeat knows, and whether it may send a packet."""

    def __init__(self, first, cap):
        self.acked = self.next = first
        self.came, self.again = set(), set()  # PSNs that NACKs named, and that left again
        self.recover = None  # a repair ends once this PSN is acknowledged
        self.cap, self.timeouts = cap, 0

    def hear(self, f):
        reached = (f.psn + (f.opcode == ACK)) % PSNS
        if 0 < ahead(reached, self.acked) < HALF:
            self.acked = reached
        if f.opcode == NACK:
            self.came.add(f.came)

    def send(self, psn):
        """Returns what is wrong with it, or None."""
        highest = max((ahead(p, self.acked) for p in self.came
                       if ahead(p, self.acked) < HALF), default=-1)
        at = ahead(psn, self.acked)
        if psn == self.next:
            self.next = (psn + 1) % PSNS
            return f"{at + 1} are in flight" if at >= self.cap else None
        if at >= HALF or psn in self.came:
            return "it is sent again, and has come"
        repairs = self.recover is not None and ahead(self.recover, self.acked) < HALF
        self.recover = (self.next - 1) % PSNS
        if not at and (psn in self.again or (highest < 0 and not repairs)):
            self.timeouts += 1
        elif at > max(highest, 0):
            return "it is sent again, and no later one has come"
        elif psn in self.again:
            return "it is sent again twice"
        self.again.add(psn)
        return None


def selective_repeat(trace, flow, counted, faults, cap):
    """Each packet is answered, and NACKs name those that came early; only packets that have not
    come are sent again; all is acknowledged."""
    sent = trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in DATA)
    came = trace.at(flow.dst_port, False, lambda f: flow.to_dst(f) and f.opcode in DATA)
    answers = trace.at(flow.dst_port, True, lambda f: flow.to_src(f) and f.opcode in (ACK, NACK))
    heard = trace.at(flow.src_port, False, lambda f: flow.to_src(f) and f.opcode in (ACK, NACK))
    first = sent[0].psn
    keeper, repairer = Keeper(first), Repairer(first, cap)
    due = [keeper.take(f) for f in came if valid(f)]
    have = [((f.psn + (f.opcode == ACK)) % PSNS, f.came) for f in answers]
    if have != due:
        same = [a == b for a, b in zip(have, due)]
        faults.append(f"{flow.name}: {len(have)} answers, and {len(due)} are due; "
                      f"number {(same + [False]).index(False)} is wrong")
    events = [(f.t - f.wire() - DELAY, 1, f) for f in sent]
    events += [(f.t + f.wire() + DELAY, 0, f) for f in heard]
    for _, is_data, f in sorted(events, key=lambda e: e[:2]):
        wrong = repairer.send(f.psn) if is_data else repairer.hear(f)
        if wrong:
            faults.append(f"{flow.name}: PSN {f.psn}: {wrong}")
    n = 1 + max(ahead(f.psn, first) for f in sent)
    if keeper.accepted != n or ahead(repairer.acked, first) != n:
        faults.append(f"{flow.name}: of {n} packets {keeper.accepted} are delivered, "
                      f"{ahead(repairer.acked, first)} acknowledged")
    counted.naks += sum(f.opcode == NACK for f in heard)
    counted.timeouts += repairer.timeouts
    counted.out_of_sequence += keeper.out_of_sequence
    counted.duplicates += keeper.duplicates
    counted.resent += len(sent) - n


def read(trace, flow, counted, faults):
    """A request that is sent again begins with the first missing PSN, and ends where it did."""
    asked = trace.at(flow.dst_port, True, lambda f: flow.to_src(f) and f.opcode == READ_REQUEST)
    sent = trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in RESPONSES)
    came = trace.at(flow.dst_port, False, lambda f: flow.to_dst(f) and f.opcode in RESPONSES)
    model = Responder(asked[0].psn)
    events = sorted([(f.t - f.wire() - DELAY, 1, f) for f in asked] +
                    [(f.t + f.wire() + DELAY, 0, f) for f in came], key=lambda e: e[:2])
    told, ends = 0, {}
    for _, is_request, f in events:
        if not is_request:
            model.take(f)
            continue
        packets = max(1, -(-f.dma_len // 1024))
        ends.setdefault((f.psn + packets) % PSNS, (f.va + f.dma_len) % (1 << 64))
        if ends[(f.psn + packets) % PSNS] != (f.va + f.dma_len) % (1 << 64):
            faults.append(f"{flow.name}: the request of PSN {f.psn} has another end")
        if f is not asked[0] and len(ends) == 1:
            if f.psn != model.expected:
                faults.append(f"{flow.name}: PSN {f.psn} is requested again, "
                              f"not {model.expected}")
            counted.timeouts += len(model.naks) == told
            counted.duplicates += 1
        told = len(model.naks)
    if len(ends) != flow.row["message_complete_rx"]:
        faults.append(f"{flow.name}: {len(ends)} requests")
    counted.implied_naks += len(model.naks)
    counted.out_of_sequence += model.out_of_sequence
    counted.resent += len(sent) - model.accepted


class Reader:
    """The requester of READs by selective repeat: which responses have come, and which were asked
    for."""

    def __init__(self, first):
        self.first = first
        self.came, self.again = set(), set()
        # one past the last requested response, and the first that has not come
        self.end = self.expected = 0
        self.implied = self.timeouts = self.out_of_sequence = 0

    def take(self, f):
        at = ahead(f.psn, self.first)
        self.out_of_sequence += at > self.expected and at not in self.came
        self.came.add(at)
        while self.expected in self.came:
            self.expected += 1

    def ask(self, f):
        """Returns what is wrong with a request, or None."""
        at = ahead(f.psn, self.first)
        span = range(at, at + max(1, -(-f.dma_len // 1024)))
        if at == self.end:
            self.end = span.stop
            return None
        if self.came.intersection(span) or span.stop > self.end:
            return "it is requested again, and has come"
        highest = max(self.came, default=-1)
        if at > self.expected and at - 1 not in self.came:
            return "it is requested again, and what is missing before it is not"
        if span.stop not in self.came and span.stop != self.end:
            return "it is requested again, and what is missing behind it is not"
        if highest < at or self.again.intersection(span):
            self.timeouts += 1
        else:
            self.implied += 1
        self.again.update(span)
        return None


def read_selective(trace, flow, counted, faults):
    """Each missing response is asked for again, once as later ones come and then by timeouts; no
    other response is."""
    asked = trace.at(flow.dst_port, True, lambda f: flow.to_src(f) and f.opcode == READ_REQUEST)
    heard = trace.at(flow.src_port, False, lambda f: flow.to_src(f) and f.opcode == READ_REQUEST)
    sent = trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in RESPONSES)
    came = trace.at(flow.dst_port, False, lambda f: flow.to_dst(f) and f.opcode in RESPONSES)
    reader = Reader(asked[0].psn)
    events = [(f.t - f.wire() - DELAY, 1, f) for f in asked]
    events += [(f.t + f.wire() + DELAY, 0, f) for f in came]
    for _, is_request, f in sorted(events, key=lambda e: e[:2]):
        wrong = reader.ask(f) if is_request else reader.take(f)
        if wrong:
            faults.append(f"{flow.name}: PSN {f.psn}: {wrong}")
    if reader.expected != reader.end:
        faults.append(f"{flow.name}: {reader.expected} of {reader.end} responses are delivered")
    starts = {f.psn for f in heard}
    counted.duplicates += len(heard) - len({asked[0].psn}.intersection(starts))
    counted.timeouts += reader.timeouts
    counted.implied_naks += reader.implied
    counted.out_of_sequence += reader.out_of_sequence
    counted.resent += len(sent) - len({f.psn for f in sent})


def due_cnps(instants, interval, mode):
    """The number of CNPs that are due for CE at these instants.

    next_marked: the greedy rule, for the first CE and each one more than the interval behind the
    one before it that was due. window: one more at the end of each interval that has CE.
    """
    due, end, seen = 0, None, False
    for t in instants:
        while mode == "window" and end is not None and t >= end:
            due, end, seen = due + seen, end + interval if seen else None, False
        if end is None or (mode == "next_marked" and t > end) or not interval:
            due, end = due + 1, t + interval
        else:
            seen = True
    return due + (mode == "window" and seen)


def notifies(trace, flows, np, counted, faults):
    """The number of CNPs is that of the rule; each has BECN and goes to a sender's queue pair."""
    owners = {}
    for flow in flows:
        key = {"qp": flow.name, "ip_pair": (flow.src, flow.dst), "dst_ip": flow.src,
               "port": flow.dst_port}[np.get("key", "qp")]
        owners.setdefault((flow.dst_port, key), []).append(flow)
    for of in owners.values():
        asks = [f.t for f in trace.at(of[0].dst_port, False,
                                      lambda f: f.ce and valid(f) and any(
                                          flow.to_dst(f) for flow in of))]
        counted.ce += len(asks)
        if np.get("with_nak"):
            asks = sorted(asks + [f.t for f in trace.at(
                of[0].dst_port, True, lambda f: f.opcode == ACK and f.syndrome == NAK_PSN)])
        cnps = trace.at(of[0].dst_port, True, lambda f: f.opcode == CNP and any(
            flow.to_src(f) for flow in of))
        due = due_cnps(asks, np.get("interval", 50000000), np.get("mode", "window"))
        if len(cnps) != due:
            faults.append(f"{of[0].name}: {len(cnps)} CNPs, and {due} are due")
        if not all(f.becn for f in cnps):
            faults.append(f"{of[0].name}: a CNP without BECN")
        counted.cnps += len(cnps)
    counted.cnps_heard = len([f for f in trace.frames if f.opcode == CNP and not f.inbound])


def counters(trace, counted, faults):
    """The counters of all hosts together are those of the trace."""
    of = {
        "packet_seq_err": counted.naks,
        "implied_nak_seq_err": counted.implied_naks,
        "local_ack_timeout_err": counted.timeouts,
        "out_of_sequence": counted.out_of_sequence,
        "duplicate_request": counted.duplicates,
        "rx_icrc_errors": counted.bad_icrc,
        "drop_wrong_peer": counted.wrong_peer,
        "np_ecn_marked_roce_packets": counted.ce,
        "np_cnp_sent": counted.cnps,
    }
    for name, n in of.items():
        have = sum(nic[name] for nic in trace.nic.values())
        if have != n:
            faults.append(f"{name} is {have}, and the trace has {n}")
    handled = sum(nic["rp_cnp_handled"] + nic["rp_cnp_ignored"] for nic in trace.nic.values())
    if handled != counted.cnps_heard:
        faults.append(f"{handled} CNPs are handled, and {counted.cnps_heard} came")
    again = sum(flow.row["data_frames_retransmitted"] for flow in trace.flows)
    if again != counted.resent:
        faults.append(f"{again} frames are sent again, and the trace has {counted.resent}")


def judge(trace, np=None, fails=False, caps=None):
    """The lines of all rules that do not hold. `np`: of the notification points; `fails`: the queue
    pair gives up; `caps`: of flows with selective repeat by their names, cap; READs need none."""
    faults, counted = [], Counted()
    complete(trace, faults)
    for flow in trace.flows:
        if trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in RESPONSES):
            (read_selective if caps else read)(trace, flow, counted, faults)
        elif caps:
            selective_repeat(trace, flow, counted, faults, caps[flow.name.partition("[")[0]])
        else:
            go_back_n(trace, flow, counted, faults, fails)
    notifies(trace, trace.flows, np or {}, counted, faults)
    to_hosts = [f for f in trace.frames if not f.inbound]
    counted.bad_icrc = sum(not f.is_whole() for f in to_hosts)
    counted.wrong_peer = sum(f.is_whole() and f.pkey != 0xffff for f in to_hosts)
    counted.timeouts += fails  # the last one sends nothing again
    counters(trace, counted, faults)
    return faults


def latencies(trace, flow, psn):
    """Of a packet that was lost once, at the injector: from the first delivered data packet behind
    it to the NAK, from the NAK to the packet's copy, and from the packet to its copy."""
    sent = trace.at(flow.src_port, True, lambda f: flow.to_dst(f) and f.opcode in DATA)
    copies = [f for f in sent if f.psn == psn]
    behind = next(f for f in sent if f.t > copies[0].t)
    nak = trace.at(flow.dst_port, True, lambda f: flow.to_src(f) and f.syndrome == NAK_PSN)[0]
    return nak.t - behind.t, copies[1].t - nak.t, copies[1].t - copies[0].t
