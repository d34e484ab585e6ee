// SPDX-License-Identifier: BSD-3-Clause
// Pauses of the switch: PFC and PAUSE obeyed and sent, storms by command.
#pragma once

#include "port/port.h"

int sw_pfc_init(struct sw *sw, const struct sw_params *p);
void sw_pause(struct sw *sw, struct sw_port *o, uint8_t enable, const uint16_t *quanta, tstamp now);
int sw_response_init(struct sw_port *o, const struct sw_port_params *p);
void sw_response_fini(struct sw_port *o);
void sw_pause_timers(struct sw *sw, struct sw_port *o, tstamp now);
void sw_put_pfc(struct sw *sw, struct sw_port *o, tstamp now);
void sw_pfc_link(struct sw *sw, struct sw_port *o, tstamp now);
int sw_storm(struct sw *sw, const struct ctl *ctl, tstamp now);

// A group of port `in` reaches XOFF, or comes back to XON.
void sw_xoff(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
void sw_xon(struct sw *sw, struct sw_port *in, unsigned pg, tstamp now);
