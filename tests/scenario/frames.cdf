# SPDX-License-Identifier: BSD-3-Clause
# Messages of one frame, in bytes: three sizes, with 40, 35 and 25 % of the messages.
1 40
301 40
301 75
1024 75
1024 100
