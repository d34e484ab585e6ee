// SPDX-License-Identifier: BSD-3-Clause
// Work shared out to processes, a few at a time; each hands back text and one result of a fixed
// size.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#define JOBS_MAX    256
#define JOBS_RESULT 4096 // bytes of a result at most

struct jobs {
	unsigned n;       // pieces of work, 0 .. n-1
	unsigned at_once; // processes, 1 .. JOBS_MAX
	size_t size;      // bytes of a result
	// Runs in a process of its own: fills the result, which is zero, and may write text to `fd`
	// meanwhile.
	void (*work)(void *arg, unsigned i, void *result, int fd);
	// Runs in the caller's process, in the order in which jobs end. `text` has `len` bytes and
	// a NUL behind. `ok` false: the process died, and `result` is its wait status, an int.
	void (*done)(
		void *arg, unsigned i, bool ok, const void *result, const char *text, size_t len);
	void *arg;
	const atomic_bool *stop; // no more is begun once it is set
};

// Runs all jobs, and returns when every process that was begun has ended. 0, or -errno if no
// process could be made.
int jobs_run(const struct jobs *j);

// The number of processors that this process may use, 1 .. JOBS_MAX.
unsigned jobs_processors(void);
