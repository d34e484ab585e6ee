// SPDX-License-Identifier: BSD-3-Clause
// JUnit's XML: elements of a file that says which tests of a suite hold.
#pragma once

#include "out.h"

// The text before the first element of a file.
#define JUNIT_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

// The result of a test, and the element that says it.
enum junit_result { JUNIT_PASSED, JUNIT_FAILURE, JUNIT_ERROR, JUNIT_SKIPPED };

// An attribute, with what XML escapes.
void junit_attribute(struct out *o, const char *name, const char *text);

// Opens an element testsuite.
void junit_suite(struct out *o, const char *name, unsigned tests, unsigned failures,
	unsigned errors, double seconds);
// A testcase in it; the message says why one that has not passed has not.
void junit_case(struct out *o, const char *suite, const char *name, enum junit_result result,
	const char *message);
void junit_suite_end(struct out *o);
