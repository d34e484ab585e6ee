#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""summary.json of every scenario that comes with quench is as its JSON Schema says, and the schema
refuses one that is not. So are probe.json of a probe and verify.json of rows of each kind.

usage: schema_command.py QUENCH CONFIG [SCHEMA]     SCHEMA: a file; without it what
                                                    `quench figures --schema` prints
"""
import copy
import json
import os
import shutil
import subprocess
import sys
import tempfile

import jsonschema

quench = os.path.realpath(sys.argv[1])
config = os.path.realpath(sys.argv[2])
SHORT = ["--duration", "300us", "--set", "warmup=0us", "--set", "drain=0us"]
failures = 0


def complain(text):
    global failures
    failures += 1
    print(f"schema_command: {text}")


def schema_text():
    if len(sys.argv) > 3:
        with open(sys.argv[3], encoding="utf-8") as f:
            return f.read()
    done = subprocess.run([quench, "figures", "--schema"], capture_output=True, text=True,
                          check=True)
    return done.stdout


def summary_of(scenario, out):
    """The summary of a short run; a verdict may fail in it (status 1)."""
    done = subprocess.run([quench, "run", scenario, *SHORT, "--out", out, "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode > 1:
        complain(f"{scenario}: exit status {done.returncode}: {done.stderr}")
        return None
    with open(os.path.join(out, "summary.json"), encoding="utf-8") as f:
        return json.load(f)


def each_is_valid(validator, folder):
    """Returns the summaries by the scenario's name."""
    summaries = {}
    for file in sorted(os.listdir(config)):
        name, kind = os.path.splitext(file)
        if kind != ".yaml" or name == "reference":  # which has no network
            continue
        summary = summary_of(os.path.join(config, file), os.path.join(folder, name))
        if summary is None:
            continue
        summaries[name] = summary
        for error in list(validator.iter_errors(summary))[:5]:
            complain(f"{name}: {error.json_path}: {error.message[:200]}")
    if len(summaries) < 30:
        complain(f"only {len(summaries)} scenarios ran")
    return summaries


def wrong_ones_are_refused(validator, good):
    """A schema that takes anything would hold nothing."""
    def refused(what, change):
        bad = copy.deepcopy(good)
        change(bad)
        if validator.is_valid(bad):
            complain(f"the schema takes a summary {what}")

    refused("without totals", lambda s: s.pop("total"))
    refused("without a flow's goodput", lambda s: s["flows"][0].pop("goodput_gbps"))
    refused("with a word for a number", lambda s: s["total"].update(drops="none"))
    refused("with a fraction of a frame", lambda s: s["total"].update(drops=0.5))
    refused("with a member that it does not know", lambda s: s.update(no_such_member=1))
    refused("with a figure that it does not know", lambda s: s["total"].update(no_such=1))


def validator_of(command):
    """By the schema that the command prints."""
    done = subprocess.run([quench, command, "--schema"], capture_output=True, text=True,
                          check=True)
    schema = json.loads(done.stdout)
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


def probe_is_valid(folder):
    """probe.json of a switch in virtual time."""
    validator = validator_of("probe")
    done = subprocess.run([quench, "probe", "probe/device", "--steps", "xoff", "--against",
                           "probe/device", "--json", "--quiet", "--out",
                           os.path.join(folder, "probe")], capture_output=True, text=True,
                          check=False)
    if done.returncode > 1:
        complain(f"probe: exit status {done.returncode}: {done.stderr}")
        return
    found = json.loads(done.stdout)
    for error in list(validator.iter_errors(found))[:5]:
        complain(f"probe.json: {error.json_path}: {error.message[:200]}")
    found["classes"]["3"]["xoff_bytes"]["state"] = "perhaps"
    if validator.is_valid(found):
        complain("the schema takes a state that there is not")


SEARCH = """# The highest rate.
search: load.yaml
path: flows.load.open_loop.rate
from: 10
to: 100
by: 45
unit: "%"
cases: [{flows.load.open_loop.size: 1024}]
expect: [{figure: rate_percent, min: 60}]
"""


def verify_is_valid(folder):
    """verify.json of a scenario that passes, a step, a search that fails, and a row that wants
    more ports than there are."""
    validator = validator_of("verify")
    rows = os.path.join(folder, "rows")
    os.mkdir(rows)
    for name, source in (("load.yaml", "rfc2544/test_packet_drop_threshold.yaml"),
                         ("map.step", "qos/dscp-map.step"),
                         ("many.yaml", "pfc/pause-all-ports.yaml")):
        shutil.copy(os.path.join(config, "verify", source), os.path.join(rows, name))
    with open(os.path.join(rows, "found.search"), "w", encoding="utf-8") as f:
        f.write(SEARCH)
    done = subprocess.run([quench, "verify", rows, "--json", "--quiet", "--clock", "virtual",
                           "--ports", "e0,e1,e2", "--out", os.path.join(folder, "verify")],
                          capture_output=True, text=True, check=False)
    if done.returncode != 1:
        complain(f"verify: exit status {done.returncode}: {done.stderr}")
        return
    sheet = json.loads(done.stdout)
    for error in list(validator.iter_errors(sheet))[:5]:
        complain(f"verify.json: {error.json_path}: {error.message[:200]}")
    seen = {row["row"]: row["verdict"] for row in sheet["rows"]}
    if seen != {"found": "FAIL", "load": "PASS", "many": "NOT JUDGED", "map": "PASS"}:
        complain(f"verify: {seen}")
    for what, change in (("a verdict that there is not",
                          lambda s: s["rows"][0].update(verdict="MAYBE")),
                         ("a row without a stimulus", lambda s: s["rows"][0].pop("stimulus")),
                         ("a member that it does not know", lambda s: s.update(more=1))):
        bad = copy.deepcopy(sheet)
        change(bad)
        if validator.is_valid(bad):
            complain(f"the schema takes {what}")


def main():
    schema = json.loads(schema_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    validator = kind(schema)
    with tempfile.TemporaryDirectory() as folder:
        summaries = each_is_valid(validator, folder)
        if len(sys.argv) <= 3:
            probe_is_valid(folder)
            verify_is_valid(folder)
    if "first-light" in summaries:
        wrong_ones_are_refused(validator, summaries["first-light"])
    return 1 if failures else 0


sys.exit(main())
