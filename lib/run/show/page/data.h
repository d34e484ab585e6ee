// SPDX-License-Identifier: BSD-3-Clause
// The data of a page: one JSON object, which the page's own scripts draw. This is the contract
// between the two.
//
// Instants and durations are us of scene time; null stands where nothing is known. Names come from
// users: scripts show them as text only. Lists of numbers that belong together have one length.
//
//   program   "quench 0.1.0"
//   points    a series has at most so many bins
//   runs      a list, below
//   compare   null for one run; else
//     sets      {label, runs: places in the list of runs}: runs that differ in the seed only
//     figures   {path, unit, meaning, sets: [{n, mean, sd}], change_percent, differs}
//     config    {path, values: one for each set}
//
// A run:
//   label, name, clock, seed, dir, end_us, window_us [from, to]
//   missing, doubt, why   sentences: what cannot be shown, what the run could not keep, and why
//   verdicts  {name, verdict, figure, value, min, max}
//   nodes     {name, kind: switch or host, sends, receives}
//   links     a direction each: {from, to, rate_gbps, load_percent, goodput_percent,
//             paused_percent, pauses, drops, bottleneck}
//   queues    {name, bin_us, t, min, mean, max: bytes, lines: {name, bytes, of: queue or group}}
//   more_queues  that have no plot
//   rates     {name, group, flows, bin_us, t, goodput, rc, rt, alpha: Gb/s or null, goodput_min,
//             goodput_max, rc_min, rc_max: over so many flows, where those are more than one}
//   more_rates
//   pauses    {name, class, count, total_us, bin_us, spans: [from, to]}; bin_us 0: each pause by
//             itself, else what is nearer than that is one span
//   ticks     {kind, name, count, bin_us, t, n}; n null: each is one event
//   moments   {t, event: user_mark or set, text, node}: marks and changes; of a change that several
//             nodes adopt the first node, and how many more
//   more_moments  that are not in the list
//   recovery  queue pairs with losses: {name, sent: frames or null, lost, nak, resent, timeout:
//             {count, bin_us, t}}
//   losses    {flow, psn, at_us, port, fault: where a fault lost it, nak_tx_us, nak_us, timeout_us,
//             resent_us, generation_us, reaction_us, retransmission_us: by faults that watch at
//             that port, frames: sent again for it}
//   more_losses
//   jobs      {name, schedule, ranks, iterations, completion_us, steps: iterations {number,
//             completion_us, last_rank, parts: us, of wire, compute, pause, rate, resend and wait},
//             lanes: ranks {name, bin_us, compute and messages: spans [from, to], ends: of its
//             iterations}}; bin_us 0: each span by itself, else what is nearer than that is one
//   more_job_events  of ranks that have no lane
//   lineage   null without pauses; else
//     roots   {name, kind: congested, host, switch, cycle, other or not recorded, us}
//     nodes   queues that were paused: {name, us}
//     edges   {from: place of a node, or root: place of a root; to: place of a node, us}
//     bills   [queue, root, us]
//     lacks   sentences
//   marking   {name, kmin, kmax, pmax, from, to, frames, marked, ratio, low, high, theory}
//   sizes     rows of slowdown_by_size, of the group with most messages, else of
//             messages_by_size in summary.json
//   cdfs      {title, name, unit, exact, n, x, y: 0 to 1}
//   tables    {key, title, open, columns: {name, unit, meaning}, rows, left_out}
//   config    [path, value, source]
//   again     {command, seed, version, digest: SHA-256 of summary.json, scenario}
#pragma once
