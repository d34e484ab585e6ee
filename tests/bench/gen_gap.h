// SPDX-License-Identifier: BSD-3-Clause
// How well many limiters keep their gaps on the real clock.
#pragma once

// arg are queue pairs and seconds. Exit status of the program.
int gen_gap(char **arg, int n);
