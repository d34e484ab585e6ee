// SPDX-License-Identifier: BSD-3-Clause
// The users whose files root may load as code: a file that another user could have written is not
// loaded.
//
// A trusted user is root, the user who runs this, and the one who became root by sudo (SUDO_UID).
// A file is trusted where a trusted user owns it and every folder above it, and nobody else may
// write to them. Group root, and a group with the number of a trusted user (the user's own group),
// may write. A folder in which all may write is all right if it is sticky, as /tmp is, since others
// can replace nothing in it. Only root is asked for this.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "conf/conf.h"

// Whether an open file is trusted. If not, `why` is what is wrong: "user bob owns /home/bob/x.so".
bool trust_file(int fd, char *why, size_t size);

// Loads a shared object into *object (dlopen), if it is trusted or `all` are. -errno and a line
// that begins with the file.
int trust_load(void **object, const char *file, bool all, struct err *err);

// The end of a line that refuses code, behind the reason.
#define TRUST_HINT "; as root quench loads no code that another user could have written (--trust)"
