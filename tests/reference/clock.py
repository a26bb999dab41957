#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""clock.py TASKS FILES SEED RHO IPB TABLE

Tasks that run at once, as doc/simulate.md describes them, on an empty group in
which `packed` places every file in the next slot: the first slots are those of
the tasks' parent and of their directories, TABLE the first block of the
group's inode table.  Prints the itable blocks read, and
the tasks in the order in which they made their files.  Written apart from
lib/sim, from that page; only the generator of random numbers is the same."""
import heapq
import math
import sys

READ, HAND_OVER, CHANCE, JITTER, SPREAD = 0.87, 0.011, 0.83, 0.14, 0.018
MASK = (1 << 64) - 1


class Random:
    def __init__(self, seed):
        self.state = ((seed ^ 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 & MASK
                      or 1)
        for _ in range(8):
            self.unit()

    def unit(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ x << 25) & MASK
        x ^= x >> 27
        self.state = x
        x = x * 2685821657736338717 & MASK
        return ((x >> 11) + 1) / (1 << 53)


def run(tasks, files, seed, rho, ipb, table):
    rng = Random(seed)
    pace, queue, made = [], [], []
    for task in range(tasks):
        pace.append(1 - SPREAD * (1 + math.log(rng.unit())))
        queue.append((rng.unit(), task, None))
    heapq.heapify(queue)
    left = [files] * tasks
    ready, turn, reads = {0: 0.0}, {}, 0
    for i in range(tasks + 1):
        ready[i // ipb] = 0.0
    slot = tasks + 1
    while queue:
        now, task, mine = heapq.heappop(queue)
        if mine is None:
            if left[task]:
                left[task] -= 1
                made.append(task)
                wait = -math.log(rng.unit())
                wait = rho * (1 - CHANCE + CHANCE * wait)
                heapq.heappush(queue, (now + wait, task, slot))
                slot += 1
            continue
        block = mine // ipb
        if ready.get(block, math.inf) <= now:
            end = now
        elif block in ready:		# somebody is reading it
            end = max(turn.get(block, 0), ready[block]) + HAND_OVER
            turn[block] = end
        elif slot - block * ipb == 1:	# no other slot of it is taken
            end = ready[block] = now
        else:
            reads += 1
            end = ready[block] = now + READ
            # The kernel's window, up to the high-water mark, and one more.
            first = max((table + block) // 32 * 32 - table, 0)
            for ahead in range(first, min(first + 32, slot // ipb) + 1):
                ready.setdefault(ahead, end)
        jitter = 2 * rng.unit() - 1
        end += (1 - rho) * pace[task] * (1 + JITTER * jitter)
        heapq.heappush(queue, (end, task, None))
    return reads, made


def main():
    tasks, files, seed = map(int, sys.argv[1:4])
    reads, made = run(tasks, files, seed, float(sys.argv[4]),
                      *map(int, sys.argv[5:7]))
    print(reads)
    print(*made, sep="\n")


main()
