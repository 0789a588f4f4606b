#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh LIBDIR OUT [PKG-CONFIG OPTION...]: an engine without CMake. $CC and $CFLAGS are used.
set -eu
libdir=$1 out=$2
shift 2
PKG_CONFIG_PATH=$libdir/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH

# The tree was installed elsewhere than it was configured for; the file must know.
libs=$(pkg-config "$@" --libs nvfp4moe)
cflags=$(pkg-config "$@" --cflags nvfp4moe)
printf 'cflags: %s\nlibs: %s\n' "$cflags" "$libs"
found=$(cd "$(pkg-config --variable=libdir nvfp4moe)" && pwd)
[ "$found" = "$(cd "$libdir" && pwd)" ] || { echo "libdir is $found"; exit 1; }

yaml=
[ "$(pkg-config --variable=with_yaml nvfp4moe)" != ON ] || yaml=-DCONSUMER_WITH_YAML
# shellcheck disable=SC2086 # flags are words
${CC:-cc} ${CFLAGS:-} $cflags $yaml "$(dirname "$0")/../consumer.c" -o "$out" $libs
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$out"
