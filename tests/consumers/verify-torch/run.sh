#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the command with plain cc and runs the example: run.sh [FOLDER] [verify.py's options]...
set -eu
root=$(CDPATH= cd -- "$(dirname -- "$0")/../../.." && pwd)
out=${1:-$root/build-verify-torch}
[ $# -gt 0 ] && shift
mkdir -p "$out"
${CC:-cc} -std=c11 -O2 -ffp-contract=off -I"$root/include" -I"$root/src" \
    "$root"/src/verify/*.c "$root"/src/verify/tool/*.c "$root/src/core/names.c" \
    "$root/src/cli/cmd_verify.c" -lm -o "$out/nvfp4-verify"
exec "${PYTHON:-python3}" "$root/tests/consumers/verify-torch/verify.py" \
    --verify "$out/nvfp4-verify" "$@"
