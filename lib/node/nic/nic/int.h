// SPDX-License-Identifier: BSD-3-Clause
// Functions that the files of room nic call of each other.
#pragma once

#include "nic.h"
#include "qp/qp.h"

#pragma GCC visibility push(hidden)

#define NIC_GEN_QUEUE \
	64 // frames of open-loop sources that a class queue holds; then they are parked

// nic.c
void nic_timers(struct nic *nic, tstamp now);  // all that is due but sending
void nic_resumed(struct nic *nic, tstamp now); // pauses received that have run out
// Starts or stops an open-loop source. -ENOENT: it is not ours.
int nic_run_source(struct nic *nic, uint32_t source, bool on, tstamp now);

// follow.c: sources that start once others have ended
void nic_follow_timer(struct nic *nic, tstamp now);
// A frame of a source of ours leaves, and nic->follows is there.
void nic_follow_left(struct nic *nic, const struct pkt *p, tstamp now);
void nic_follows_free(struct nic *nic);

// adopt.c: takes the list of a change with a number over. -EINVAL: it is another NIC's, or has been
// taken over.
int nic_adopt_take(struct nic *nic, struct nic_adopt *a, uint32_t number, tstamp now);

// reg.c: writes the registers of the RDMA IP that differ between two configurations of it.
void nic_reg_adopt(struct nic *nic, const struct rdma_ip_reg_params *was,
	const struct rdma_ip_reg_params *to, tstamp now);

// pfc.c: PFC received, and MAC control frames made to order
void nic_rx_pfc(struct nic *nic, const struct pkt *p, tstamp now);
void nic_rx_pause(struct nic *nic, const struct pkt *p, tstamp now);
// A copy of either, which the NIC's other thread has counted.
void nic_rx_pause_copy(struct nic *nic, const struct pkt *p, tstamp now);
void nic_pause_response(struct nic *nic, tstamp now); // frames received whose effect was late
int nic_mac_begin(struct nic *nic, const struct ctl *ctl, tstamp now);
void nic_mac_put(struct nic *nic, tstamp now);

// shape.c: the shaper of the port (nic_params.max_rate)
int nic_shaper_init(struct nic *nic); // -EINVAL: its rate is below RATE_MIN
// Compiles the buckets for a rate; 0: no bucket. -EINVAL as above.
int nic_shaper_cfg(const struct nic *nic, rate_t rate, struct shaper_cfg *cfg);
void nic_shaper_adopt(struct nic *nic, const struct shaper_cfg *to, tstamp now);
// A call of nic_tx begins, and ends.
void nic_shaper_asked(struct nic *nic, tstamp now);
void nic_shaper_left(struct nic *nic);
// A frame without FCS of a class, or of EPORT_CTL, has left.
void nic_shaper_sent(struct nic *nic, int cls, uint32_t len, tstamp now);

// quiesce.c: what nic_ctl() does for CTL_QUIESCE, CTL_GO_ON, CTL_PAUSE and CTL_RESUME
void nic_quiesce(struct nic *nic, bool goes_on, tstamp now);
void nic_go_on(struct nic *nic, tstamp now);
int nic_pause(struct nic *nic, uint32_t id, bool on, tstamp now); // -ENOENT

// replay.c: the capture that it sends
void nic_replay_due(struct nic *nic, tstamp now);
void nic_replay_unqueued(struct nic *nic); // a frame of it has left the class queue

// stream.c: frames that nobody of the scene has sent
int nic_stream_init(struct nic *nic);
void nic_stream_fini(struct nic *nic);
bool nic_stream_rx(struct nic *nic, struct pkt *p, tstamp now); // false: it is not of these
// Whether a frame is IP for our address.
bool nic_stream_for_us(const struct nic *nic, const struct pkt *p);

// stranger.c: RoCE frames that are not of a queue pair's peer
// Whether a frame that came as bytes (PKT_F_FOREIGN) has another source or destination address, or
// another P_Key, than the queue pair's peer sends. It is counted, and with `peer_check` dropped:
// true, and the packet is gone.
bool nic_is_stranger(struct nic *nic, const struct nic_qp *qp, struct pkt *p, tstamp now);

// echo.c: open-loop frames that the receiver sends back, and their return to the sender
void nic_echo_fini(struct nic *nic);
// Takes a frame of a source of the scene that is for us: sends it back if the host echoes, else
// frees it.
void nic_echo_gen(struct nic *nic, struct nic_source *from, struct pkt *p, tstamp now);
// Takes any other datagram: sends it back. False: it is not one to send back.
bool nic_echo_rx(struct nic *nic, struct pkt *p, tstamp now);
// Takes a frame of a source of ours that came back; false: it belongs to another NIC.
bool nic_echo_came(struct nic *nic, struct nic_source *of, struct pkt *p, tstamp now);

// Returns whether a queued packet is a frame that the host sends back (echo).
static inline bool nic_is_echo(const struct pkt *p)
{
	return p->in_port != PKT_NO_PORT && (p->kind == PKT_GEN || p->kind == PKT_UDP);
}

// rxbuf.c
unsigned nic_class_of(const struct nic *nic, const struct pkt *p); // the class that it came in
int nic_rxbuf_init(struct nic_rxbuf *b, const struct nic_rxbuf_params *p);
bool nic_rxbuf_put(struct nic *nic, const struct pkt *p, tstamp now); // false: overflow
void nic_rxbuf_drained(struct nic *nic, tstamp now);

// tx.c
struct pkt *nic_unqueue(struct nic *nic, unsigned queue, tstamp now); // the head of a queue

#pragma GCC visibility pop
