// SPDX-License-Identifier: BSD-3-Clause
// The socket of a device that a run made and could not remove, because SIGKILL ended it.
#pragma once

// The rest is for the files of this room only.
#pragma GCC visibility push(hidden)

// Removes the socket file that the device is about to make (net_vhost; net_memif and
// net_virtio_user as servers), if no process listens there any more.
void dev_leftover_remove(const char *device);

#pragma GCC visibility pop
