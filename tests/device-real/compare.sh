#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a host with NVIDIA GPUs: holds what the probe says against nvidia-smi, the CUDA driver and torch,
# and measures its time. Needs gcc and python3; torch and nvidia-smi are used where they are.
#
# usage: compare.sh [TOOL]     TOOL: a built nvfp4-select, for the time of `explain --probe`
#
# The machine file of the host goes to $OUT/machine.yaml where OUT is set. Exit 0: all agrees.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

flags="-std=c11 -O2 -I$root/include -I$root/src"
library="$root/src/device/*.c $root/src/core/names.c $here/no_files.c"
# shellcheck disable=SC2086
{
    ${CC:-gcc} $flags "$here/list_devices.c" $library -ldl -lpthread -o "$work/list_devices"
    ${CC:-gcc} $flags "$here/bench_probe.c" $library -ldl -lpthread -o "$work/bench_probe"
    ${CC:-gcc} -std=c11 -O2 "$here/bare_nvml.c" -ldl -o "$work/bare_nvml"
}
if [ -n "${OUT:-}" ]; then
    "$work/list_devices" --dump > "$OUT/machine.yaml" || true
fi
python3 "$here/compare.py" "$work" "${1:-}"
