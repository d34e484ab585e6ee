// SPDX-License-Identifier: BSD-3-Clause
// Room plate: the figures of one run for a paper, of the same numbers as its page.
#pragma once

#include "conf/conf.h"
#include "paper/paper.h"
#include "saved/saved.h"

// Writes the figures of a run into `dir`, which is made where it is not there:
//
//   queue-PORT.CLASS    its length over time, mean with least and most, with Kmin, Kmax and XOFF;
//                       of the queues that were a twentieth as long as the longest at least
//   goodput, rate       of flows, or of groups where those are many; `rate` is what reaction points
//                       allow
//   pauses              a lane for each port and class that was stopped
//   marking-PORT.CLASS  shares of marked frames with their intervals, beside the configured curve
//   cdf-WHAT            completion times, latencies, gaps and others, a line for each group or port
//   slowdown            of messages by size
//
// A figure whose numbers the folder lacks is not drawn. `formats` is as in paper_write(). If
// gnuplot fails, the other figures are still written, without pictures. *n, which may be NULL, is
// the number of figures written. 0, or -errno and one line.
int plate_write(struct saved *s, const char *dir, unsigned formats, unsigned *n, struct err *err);
