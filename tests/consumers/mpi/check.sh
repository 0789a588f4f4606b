#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Eight ranks on this machine: do all say the same, and is the one that decides named?
#   check.sh MPIRUN RANKS
mpirun=$1
ranks=$2
failures=0
"$mpirun" --version 2>/dev/null | grep -q 'Open MPI\|OpenRTE' || {
    echo "needs Open MPI's mpirun"
    exit 77
}
OMPI_ALLOW_RUN_AS_ROOT=1
OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM

fail() {
    printf 'FAILED %s: %s\n%s\n' "$name" "$1" "$out"
    failures=$((failures + 1))
}

# run NAME EXIT-CODE ARGUMENT...: a job that hangs is killed and has failed
run() {
    name=$1
    want=$2
    shift 2
    out=$(timeout 60 "$mpirun" -n 8 --oversubscribe "$ranks" "$@" 2>/dev/null)
    code=$?
    [ "$code" -eq "$want" ] || fail "exit code $code, not $want"
}

# all ANSWER: every one of the eight ranks says this
all() {
    for rank in 0 1 2 3 4 5 6 7; do
        printf '%s\n' "$out" | grep -qxF "rank $rank: $1" || fail "rank $rank does not say $1"
    done
}

# says LINE
says() {
    printf '%s\n' "$out" | grep -qxF "$1" || fail "nobody says: $1"
}

stop='the ranks do not ask the same question'

run 'all alike' 0 sm=120 swiglu_limit=10
all FLASHINFER_CUTLASS

run 'mixed devices' 0 swiglu_limit=10 --rank 0-4 sm=100 --rank 5-7 sm=120
all FLASHINFER_CUTLASS
says 'FLASHINFER_TRTLLM/monolithic falls out on rank 5 and 2 more'

run 'one older FlashInfer' 0 sm=120 activation=swiglustep swiglu_limit=7 --rank 3 flashinfer=0.6.12
all VLLM_CUTLASS
says 'flashinfer differs on rank 3'
says 'FLASHINFER_CUTLASS falls out on rank 3'

run 'asked for, and missing on one' 1 sm=120 backend=marlin --rank 7 sm=70
all 'the backend asked for cannot serve the request'

run 'another policy' 1 sm=120 --rank 5 policy=vllm-46492
all "$stop"
says 'policy differs on rank 5'

run 'another model' 1 sm=120 swiglu_limit=10 --rank 0 swiglu_limit=7
all "$stop"
says 'layer differs on rank 0'

run 'another override' 1 sm=120 --rank 2 backend=marlin
all "$stop"
says 'backend differs on rank 2'

run 'no valid question' 1 sm=120 --rank 1 swiglu_limit=-1 --rank 2 backend=marlni
all "$stop"
says 'record differs on rank 1 and 1 more'
says 'rank 1: no valid question: invalid argument'
says 'rank 2: no valid question: unknown name'

[ "$failures" -eq 0 ]
