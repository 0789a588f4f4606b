#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds gpus.c with nvcc and NCCL, without CMake, and runs it on the GPUs of this machine.
#   run.sh          build and run; exits with 77 and a word where something is missing
#   run.sh build    build only
# NCCL is looked for in $NCCL_HOME, in Python's package nvidia-nccl, with CUDA, and in the system.
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
build=$(mktemp -d) || exit 2
trap 'rm -rf "$build"' EXIT

skip() {
    echo "skipped: $1"
    exit 77
}

# The folder that holds include/nccl.h, and the library that belongs to it.
python_folders() {
    python3 -c 'import os, sys
for path in sys.path:
    print(os.path.join(path, "nvidia", "nccl"))' 2>/dev/null
}
find_nccl() {
    for folder in "$NCCL_HOME" $(python_folders) "$cuda" /usr /usr/local; do
        if [ -z "$folder" ] || ! [ -f "$folder/include/nccl.h" ]; then
            continue
        fi
        for nccl_library in "$folder/lib/libnccl.so.2" "$folder/lib64/libnccl.so.2" \
            "$folder/lib/$(uname -m)-linux-gnu/libnccl.so.2"; do
            [ -f "$nccl_library" ] && nccl_include=$folder/include && return 0
        done
    done
    return 1
}

# gcc compiles, nvcc links, since it knows where its CUDA runtime is.
build_program() {
    objects=
    for source in "$root"/src/core/*.c "$root"/src/policies/*.c "$here/../mpi/rank.c" "$here/gpus.c"; do
        object=$build/$(basename "$source" .c).o
        "${CC:-gcc}" -std=c11 -O2 -Wall -Wextra -I"$root/include" -I"$root/src" -I"$nccl_include" \
            -I"$cuda/include" -c "$source" -o "$object" || return 1
        objects="$objects $object"
    done
    # shellcheck disable=SC2086  # the objects are several words
    "$nvcc" $objects -o "$build/gpus" -L"$(dirname "$nccl_library")" -l:libnccl.so.2 \
        -Xlinker -rpath="$(dirname "$nccl_library")"
}

failures=0
fail() {
    printf 'FAILED %s: %s\n' "$name" "$1"
    failures=$((failures + 1))
}

# run NAME EXIT-CODE ARGUMENT...: a program that hangs is killed and has failed
run() {
    name=$1
    want=$2
    shift 2
    out=$(timeout 120 "$build/gpus" "$@" 2>&1)
    code=$?
    printf -- '--- %s\n%s\n' "$name" "$out"
    [ "$code" -eq 77 ] && skip "needs two GPUs"
    [ "$code" -eq "$want" ] || fail "exit code $code, not $want"
}

answer_of() {
    printf '%s\n' "$out" | sed -n "s/^rank $1: //p" | tail -n 1
}
both_alike() {
    [ -n "$(answer_of 0)" ] || fail "rank 0 says nothing"
    [ "$(answer_of 0)" = "$(answer_of 1)" ] || fail "the ranks differ"
}
says() {
    printf '%s\n' "$out" | grep -qxF "$1" || fail "nobody says: $1"
}

nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || skip "no nvcc"
cuda=$(cd "$(dirname "$(readlink -f "$nvcc")")/.." && pwd)
find_nccl || skip "no NCCL"
if [ "$1" != build ]; then
    [ -e /dev/nvidia1 ] || skip "needs two GPUs"
fi
build_program || exit 1
[ "$1" = build ] && exit 0

# 64 bytes need no multicast, which not every host lets its guests have.
NCCL_NVLS_ENABLE=${NCCL_NVLS_ENABLE:-0}
export NCCL_NVLS_ENABLE

run 'as they are' 0 swiglu_limit=10
both_alike
run 'one switched off' 0 --rank 1 disable=MARLIN
both_alike
says 'MARLIN falls out on rank 1'
run 'one is another device' 0 sm=120 --rank 0 sm=100
both_alike
says 'rank 0: FLASHINFER_CUTLASS'
run 'another override' 1 --rank 1 backend=marlin
both_alike
says 'backend differs on rank 1'
run 'another model' 1 --rank 1 swiglu_limit=7
both_alike
says 'layer differs on rank 1'
run 'no valid question' 1 --rank 0 swiglu_limit=-1
both_alike
says 'record differs on rank 0'

[ "$failures" -eq 0 ] && echo "all GPUs agree"
