// SPDX-License-Identifier: BSD-3-Clause
// A scene with an open record for each test of a program, without a driver.
#pragma once

#include "record_net.h"

static struct net_lab n;

static inline int open_lab(void **state)
{
	(void)state;
	net_open(&n);
	return 0;
}

static inline int close_lab(void **state)
{
	(void)state;
	net_close(&n);
	return 0;
}
