// SPDX-License-Identifier: BSD-3-Clause
// Which socket a device makes, and whether somebody listens there.
#include "leftover.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "arg.h"

static const struct {
	const char *driver;
	const char *path;        // argument with the socket's path
	const char *key, *value; // argument of a device that makes the socket, or
	bool unless;             // of one that does not
} makes[] = {
	{"net_vhost", "iface", "client", "1", true},
	{"net_memif", "socket", "role", "server", false},
	{"net_virtio_user", "path", "server", "1", false},
};

// Writes the path of the device's socket into `to`; false: it has none. An abstract socket of
// net_memif is no file.
static bool socket_of(const char *device, struct sockaddr_un *to)
{
	char value[16];

	for (unsigned i = 0; i < sizeof(makes) / sizeof(makes[0]); i++) {
		bool is;

		if (strncmp(device, makes[i].driver, strlen(makes[i].driver)) != 0)
			continue;
		is = dev_arg(device, makes[i].key, value, sizeof(value)) &&
		     !strcmp(value, makes[i].value);
		return is != makes[i].unless &&
		       dev_arg(device, makes[i].path, to->sun_path, sizeof(to->sun_path));
	}
	return false;
}

// Returns whether nobody listens at a socket any more. The kernel looks for a listener before it
// compares the type of the socket with ours.
static bool is_deserted(const struct sockaddr_un *at)
{
	int s = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	bool is = s >= 0 && connect(s, (const struct sockaddr *)at, sizeof(*at)) != 0 &&
		  errno == ECONNREFUSED;

	if (s >= 0)
		close(s);
	return is;
}

void dev_leftover_remove(const char *device)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct stat st;

	if (socket_of(device, &at) && lstat(at.sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		is_deserted(&at))
		unlink(at.sun_path);
}
