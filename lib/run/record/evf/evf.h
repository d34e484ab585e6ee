// SPDX-License-Identifier: BSD-3-Clause
// Room evf: the record of events as lines of text and in its binary form.
#pragma once

#include "names.h"
#include "line.h"
#include "pick.h"
#include "read.h"
#include "show.h"
#include "write.h"
