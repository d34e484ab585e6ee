// SPDX-License-Identifier: BSD-3-Clause
// A buffer with two sides for tests: its parameters, its parts, and how they are made and freed.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "algo/mmu_pools.h"

#define PORTS 3
#define ALL   (PORTS * MMU_PGS)

static struct mmu_pg_params pg[ALL];
static struct mmu_queue_params queue[ALL];
static struct mmu_params mp;
static struct mmu_pools_params sp;
static struct mmu_cfg mcfg;
static struct mmu m;
static struct mmu_pools_cfg cfg;
static struct mmu_pools s;

// A buffer of 1 MB whose groups and queues have no limits but the pools'; tests then change it.
static inline void clear(void)
{
	memset(queue, 0, sizeof(queue));
	for (unsigned i = 0; i < ALL; i++)
		pg[i] = (struct mmu_pg_params){.static_bytes = 1000000};
	mp = (struct mmu_params){.buffer_bytes = 1000000, .n_ports = PORTS, .pg = pg};
	sp = (struct mmu_pools_params){.queue = queue, .cell_bytes = 1};
}

static inline int try_init(void)
{
	int rc = mmu_cfg_init(&mcfg, &mp);

	if (rc)
		return rc;
	rc = mmu_pools_cfg_init(&cfg, &sp, &mcfg, &mp);
	if (rc)
		mmu_cfg_fini(&mcfg);
	return rc;
}

static inline void init(void)
{
	assert_int_equal(try_init(), 0);
	assert_int_equal(mmu_init(&m, &mcfg), 0);
	assert_int_equal(mmu_pools_init(&s, &cfg, &m), 0);
}

static inline void fini(void)
{
	mmu_pools_fini(&s);
	mmu_pools_cfg_fini(&cfg);
	mmu_fini(&m);
	mmu_cfg_fini(&mcfg);
}
