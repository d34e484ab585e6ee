# SPDX-License-Identifier: BSD-3-Clause
"""Instructions of a program as callgrind counts them, the same on every processor."""
import os
import re
import subprocess
import sys
import tempfile

# The loader and the C library choose variants of functions by processor. These settings fix the
# choice: the SSE2 variants, and cache sizes, which decide how memcpy copies. Symbols are resolved
# at the start. No other variable of the environment is passed.
HWCAPS = ("AVX", "AVX2", "AVX512F", "AVX512VL", "AVX512BW", "BMI1", "BMI2", "ERMS", "FSRM", "FMA",
          "FMA4", "SSSE3", "SSE4_1", "SSE4_2", "POPCNT", "LZCNT", "MOVBE", "RTM", "XSAVEC",
          "AVX_Fast_Unaligned_Load", "Prefer_ERMS", "Prefer_FSRM", "Fast_Rep_String",
          "Fast_Copy_Backward", "Slow_BSF")
TUNABLES = {"hwcaps": ",".join(["-" + name for name in HWCAPS] +
                               ["Fast_Unaligned_Load", "Fast_Unaligned_Copy"]),
            "x86_data_cache_size": "32768", "x86_shared_cache_size": "1048576",
            "x86_non_temporal_threshold": "1048576"}
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C", "LD_BIND_NOW": "1",
       "GLIBC_TUNABLES": ":".join(f"glibc.cpu.{name}={value}" for name, value in TUNABLES.items())}


def collected(program, args, within=(), cwd=None):
    """(instructions, output) of a run of `program`; of what happens within the functions named,
    where there are any. A copy of the program runs under a name of fixed length, in `cwd` or in a
    folder of its own."""
    with tempfile.TemporaryDirectory(prefix="quench-callgrind-") as own:
        where = cwd or own
        copy = os.path.join(where, "program")
        if not os.path.exists(copy):
            # Valgrind 3.19 cannot read what gcc's -gsplit-dwarf leaves for debuggers.
            subprocess.run(["objcopy", "--strip-debug", program, copy], check=True)
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        command += [f"--toggle-collect={name}" for name in within]
        command += ["./program"] + [str(a) for a in args]
        try:
            run = subprocess.run(command, cwd=where, env=ENV, stdin=subprocess.DEVNULL,
                                 capture_output=True, text=True, check=False)
        except FileNotFoundError:
            sys.exit("bench: valgrind is missing (Debian: valgrind)")
    found = re.search(r"Collected : (\d+)", run.stderr)
    if not found or run.returncode not in (0, 1):  # 1: a verdict of the run failed
        sys.exit(f"bench: {' '.join(command)} gave no count:\n{run.stderr}")
    return int(found.group(1)), run.stdout
