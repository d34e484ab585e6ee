// SPDX-License-Identifier: BSD-3-Clause
// Room conf: one-line errors, texts that grow, memory that is given back at once, texts as numbers,
// units, plurals, YAML with places, tables of options, the name that is nearest to one that is
// mistyped, and lines that are alike.
#pragma once

#include "alike.h"
#include "append.h"
#include "arena.h"
#include "err.h"
#include "infile.h"
#include "near.h"
#include "opt.h"
#include "plural.h"
#include "units.h"
#include "lexicon.h"
#include "yamldoc.h"
