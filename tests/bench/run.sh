#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run.sh BENCH TOOL CORE_ARCHIVE: one JSON object with times, rates and sizes, all measured in this run.
# run.sh --instructions BENCH: instructions per selection, counted by valgrind's callgrind.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ "$1" = --instructions ]; then
    calls=27920
    for policy in vllm-52018 default; do
        valgrind --tool=callgrind --toggle-collect=nvfp4_select_backend \
            --callgrind-out-file="$work/out" "$2" --count $calls $policy 2>"$work/log"
        awk -v policy=$policy -v calls=$calls '/Collected/ {
            printf "{\"policy\":\"%s\",\"instructions_per_selection\":%.1f}\n", policy, $4 / calls }' "$work/log"
    done
    exit
fi

bench=$1 tool=$2 archive=$3
"$bench"
"$bench" --requests >"$work/once"
copies=20
for _ in $(seq $copies); do cat "$work/once"; done >"$work/requests"
best=$(for _ in 1 2 3; do
    start=$(date +%s%N)
    "$tool" batch "$work/requests" >/dev/null
    echo $(($(date +%s%N) - start))
done | sort -n | head -n 1)
requests=$(wc -l <"$work/requests")
# Section sizes over all objects of the core; .data.rel.ro is written once, by the loader, then read-only.
size -A "$archive" | awk -v requests="$requests" -v best="$best" '
    $1 ~ /^\.text/ { text += $2 }
    $1 ~ /^\.(data|bss|tdata|tbss)/ && $1 !~ /^\.data\.rel\.ro/ { data += $2 }
    $1 ~ /^\.(rodata|data\.rel\.ro)/ { constant += $2 }
    END { printf ",\"batch_requests_per_s\":%.0f,\"core_text_bytes\":%d,\"core_data_bytes\":%d,\"core_constant_bytes\":%d}\n",
          requests / (best / 1e9), text, data, constant }'
