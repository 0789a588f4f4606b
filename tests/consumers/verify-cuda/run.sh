#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the example with plain cc and nvcc and runs it: run.sh [FOLDER] [ARCH]
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
out=${1:-$root/build-verify-cuda}
arch=${2:-90}
command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 77; }
mkdir -p "$out"
for source in "$root"/src/verify/*.c "$root"/src/core/names.c; do
    ${CC:-cc} -std=c11 -O2 -ffp-contract=off -I"$root/include" -I"$root/src" \
        -c "$source" -o "$out/$(basename "$source" .c).o"
done
nvcc -O2 -gencode="arch=compute_$arch,code=sm_$arch" -I"$root/include" \
    "$root/tests/consumers/verify-cuda/verify.cu" "$out"/*.o -o "$out/verify"
exec "$out/verify"
