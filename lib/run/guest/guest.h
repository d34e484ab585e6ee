// SPDX-License-Identifier: BSD-3-Clause
// Room guest: code that users bring, which is loaded, called and kept from taking the run along
// where it crashes.
#pragma once

#include "fw.h"
#include "guard.h"
