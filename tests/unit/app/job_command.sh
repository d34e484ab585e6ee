#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `quench job` as a user sees it: schedules are timed, made and printed, and operations that wait
# for ever are named.
# usage: job_command.sh QUENCH TEST_DATA
set -u
. "$(dirname "$0")/says.sh"
data=$2/goal

# 6 messages of 1 MiB, 83.88608 us and 2 us each
judge 0 'alone         515.316 us at 100Gbps, and 2us of latency a message' '' \
	job "$data/g1_ring.goal"
has '^ranks         4$' out 'ranks'
has '^messages      24, 24MiB$' out 'messages'
judge 0 'compute 190.000 us' '' job "$data/g3_pipeline.goal"
# a printed schedule takes the same time
judge 0 '^num_ranks 4$' '' job --collective all_reduce --ranks 4 --bytes 4MiB --goal
cp out made.goal
judge 0 'alone         515.316 us ' '' job made.goal
judge 0 'bus           12.209 GB/s' '' job --collective all_reduce --ranks 4 --bytes 4MiB
judge 0 'operations    ' '' job --pattern experts --ranks 8 --bytes 1MB --skew 1.2 --layers 2
judge 0 'compute 33.000 ms' '' job --pattern 1f1b --ranks 4 --bytes 1KB
judge 0 'compute 3.000 ms' '' job --pattern tensor_parallel --ranks 4 --bytes 1KB --micro 1
judge 0 'compute 24.000 ms' '' job --pattern fsdp --ranks 4 --bytes 1MB --layers 8
judge 2 '' "^quench job: fsdp has no algorithm 'tree'; it has ring, pairwise$" \
	job --pattern fsdp --ranks 4 --bytes 1MB --algorithm tree
judge 2 '' "^quench job: gpipe has no algorithm 'ring'$" \
	job --pattern gpipe --ranks 4 --bytes 1MB --algorithm ring

judge 2 '' 'name one of FILE.GOAL, --collective and --pattern' job
judge 2 '' 'name one of FILE.GOAL, --collective and --pattern' job made.goal --pattern gpipe
judge 2 '' '--ranks and --bytes are wanted' job --pattern gpipe --ranks 4
judge 2 '' "all_reduce has no algorithm 'binomial'; it has ring, doubling, halving_doubling, tree" \
	job --collective all_reduce --algorithm binomial --ranks 4 --bytes 1MB
judge 2 '' "'none' is not a size" job --pattern gpipe --ranks 4 --bytes none
judge 2 '' '^quench job: --targets 4: 4 ranks have 1..3$' \
	job --pattern checkpoint --ranks 4 --bytes 1MB --targets 4
judge 2 '' "^quench job: data_parallel has no algorithm 'pairwise'; it has ring, doubling, " \
	job --pattern data_parallel --ranks 8 --bytes 1MB --algorithm pairwise
judge 2 '' '^quench job: --bytes is 1024GiB at most$' \
	job --collective all_reduce --ranks 2 --bytes 1025GiB
judge 2 '' '^quench job: ranks times parts need more tags than there are; take fewer$' \
	job --collective all_reduce --ranks 65536 --bytes 1MB --chunks 65536
judge 2 '' 'nowhere.goal: No such file' job nowhere.goal

printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: recv 1b from 1 tag 3' 's: send 1b to 1 tag 4' \
	's requires a' '}' 'rank 1 {' 'b: recv 1b from 0 tag 4' 't: send 1b to 0 tag 3' \
	't requires b' '}' >circle.goal
judge 1 'ranks' '^rank 0: a waits for a message from rank 1 with tag 3, which t would send$' \
	job circle.goal
has '^rank 1: b waits for a message from rank 0 with tag 4, which s would send$' err 'the chain'
has '^rank 0: a again: they wait for each other$' err 'the chain'
has 'the job does not end: its operations wait for ever' err 'the end'
printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: recv 1b from 1 tag 3' '}' 'rank 1 {' \
	'b: send 1b to 0 tag 4' '}' >alone.goal
judge 1 'ranks' '^rank 0: a waits for a message from rank 1 with tag 3, and rank 1 has no such' \
	job alone.goal
has '^rank 0: no recv takes the message that b of rank 1 sent with tag 4$' err 'the message'
printf '%s\n' 'num_ranks 2' 'rank 0 {' 'a: recv 1b from 7' '}' >wrong.goal
judge 2 '' '^wrong.goal:3: there is no rank 7; the job has the ranks 0 to 1$' job wrong.goal
exit $fail
