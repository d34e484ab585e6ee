// SPDX-License-Identifier: BSD-3-Clause
// Stamps that a device gives to received frames (RTE_ETH_RX_OFFLOAD_TIMESTAMP).
#pragma once

#include "dev.h"

#pragma GCC visibility push(hidden)

struct rte_eth_dev_info;

// Returns whether the device is to stamp frames, and finds where stamps stand in mbufs.
bool dev_stamps_ask(struct dev *d, const struct rte_eth_dev_info *info);
// Writes into d->lost how many frames had stamps, and how these are mapped.
void dev_stamps_take(struct dev *d);

#pragma GCC visibility pop
