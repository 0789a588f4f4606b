#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The whole confusion matrix, spread over processes: matrix.sh PROGRAM SEEDS PROCESSES
# PROGRAM is nvfp4_verify. Prints the sum; exit status 0 when no kernel was named wrongly.
set -eu
program=$1 seeds=$2 jobs=$3
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
first=1
for job in $(seq "$jobs"); do
    last=$((seeds * job / jobs))
    if [ "$last" -ge "$first" ]; then
        "$program" --self-test --first "$first" --seeds $((last - first + 1)) >"$parts/$job" &
    fi
    first=$((last + 1))
done
wait
awk '
/^deserved/ { n = 0; for (i = 4; i <= NF && $i != "|"; i++) column[++n] = $i; next }
/^ *[0-9]+ [a-z_]+ / && NF > 3 {
    name[$1] = $2
    for (i = 1; i <= n; i++) { used[column[i]] = 1; count[$1, column[i]] += $(2 + i) }
    declared[$1] += $(n + 4)
}
/^first wrong/ { print }
/ plans, / { parts++; plans += $1; judged += $3; right += $6; open += $8; wrong += $12 }
END {
    printf "%-21s", "deserved \\ judged"
    for (v = 1; v <= 32; v++) if (used[v]) printf " %6d", v
    printf " | declared\n"
    for (v = 1; v <= 32; v++) if (name[v] != "") {
        printf "%2d %-18s", v, name[v]
        for (w = 1; w <= 32; w++) if (used[w]) printf " %6s", count[v, w] ? count[v, w] : "."
        printf " | %8d\n", declared[v]
    }
    printf "%d plans, %d kernels judged: %d right, %d undecided as declared, %d wrong\n", \
        plans, judged, right, open, wrong
    exit parts != ARGC - 1 || wrong != 0 # a part that died has no sum
}' "$parts"/*
