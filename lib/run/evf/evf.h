// SPDX-License-Identifier: BSD-3-Clause
// Room evf: the record of events as lines of text.
#pragma once

#include "names.h"
#include "line.h"
