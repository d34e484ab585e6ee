// SPDX-License-Identifier: BSD-3-Clause
// The cost of a frame that a NIC receives.
#pragma once

// Of many responders, as descriptors: arg are their number and frames. Exit status of the program.
int gen_rx_responders(char **arg, int n);
// Of 16 responders, 1082 octets that come by a device, with the ICRC checked and unread, and where
// the frame is in a cache and where it is not: arg are frames.
int gen_rx_checked(char **arg, int n);
