// SPDX-License-Identifier: BSD-3-Clause
// The inside of real ports: their rings, and what their files do for each other.
#pragma once

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define DEV_RX_DESC 1024
#define DEV_TX_MANY 256 // so many that the device's own queue is to be seen
// Ethernet header and one VLAN tag: what a frame has beyond the device's MTU
#define DEV_L2_BYTES 18

// The driver's answer to switching priority flow control off, by priority or by queue: 0, -errno,
// or DEV_NOT_ASKED where it has neither.
int dev_pfc_off(uint16_t id);

#pragma GCC visibility pop
