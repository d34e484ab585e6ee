// SPDX-License-Identifier: BSD-3-Clause
// Feeds a lineage from a run: its ports, then its events in order of time. For the files of this
// room only.
#pragma once

#include "lineage.h"

#pragma GCC visibility push(hidden)

// Begins a lineage. `holders`: the run recorded xoff_holder, so an XOFF without this event has no
// holder. NULL: no memory.
struct lineage *lineage_new(bool holders);

// Returns the number of a port by its name, "NODE:PEER" or, if there are several links between the
// two, "NODE:PEER.2" and so on. A new port is added together with its peer. LINEAGE_NONE: no
// memory, or the name has another form; events of such a port are ignored.
uint32_t lineage_port(struct lineage *l, const char *name);
// The node is a host: its XOFFs are roots.
void lineage_host(struct lineage *l, const char *node);

// Ports in the calls below are numbers of lineage_port(), classes 0..7.

// XOFF leaves for the classes of the vector, the first or a refresh.
void lineage_xoff(struct lineage *l, uint32_t port, uint8_t classes, tstamp t);
// Names a holder of an XOFF; call it directly after the XOFF. The queue holds `bytes` of the
// ingress group of `cls`, which has `group_bytes` in all (0: not known). A class of the vector
// without a holder gets the holders of the next class below it, because a group is named by its
// lowest class.
void lineage_held(struct lineage *l, uint32_t port, unsigned cls, uint32_t out, unsigned out_cls,
	uint64_t bytes, uint64_t group_bytes);
void lineage_xon(struct lineage *l, uint32_t port, uint8_t classes);
// The peer stops a class of a port, or lets it go on.
void lineage_paused(struct lineage *l, uint32_t port, unsigned cls, tstamp t);
void lineage_resumed(
	struct lineage *l, uint32_t port, unsigned cls, enum lineage_end end, tstamp t);
// Ends the run, and with it each pause. 0, or -ENOMEM: there was not enough memory for all events,
// and there is no result.
int lineage_finish(struct lineage *l, tstamp end);

#pragma GCC visibility pop
