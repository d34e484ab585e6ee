// SPDX-License-Identifier: BSD-3-Clause
// Two NICs under mixed traffic, for callgrind.
#pragma once

// Lets two NICs send each other at least `frames` frames. Prints how many there were, and CNPs,
// frames sent again and PFC frames among them. 0, or -1 where the NICs could not be made, or what
// nic_conserve says.
int nic_mix_run(unsigned frames);
