// SPDX-License-Identifier: BSD-3-Clause
// A YAML document as JSON that reads back as the same document.
#pragma once

#include "conf/conf.h"

struct jw;

// Writes a node with all below it as the value of `key` (NULL: in an array). A collection in braces
// or brackets in YAML stays on one line. A plain scalar becomes
// - null if it is empty, ~ or null; true and false (YAML 1.2 cl. 10.3.2),
// - a number, in the same characters, if it has a decimal point, or at most 15 digits,
// - else a string, as 100Gbps, 0x10 or a seed of 20 digits.
// The JSON is YAML again (YAML 1.2 cl. 1.3), and each of its scalars has the same text as before.
void jwdoc_put(struct jw *w, const char *key, const struct yamldoc_node *n);
