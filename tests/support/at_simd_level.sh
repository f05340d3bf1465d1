#!/usr/bin/env bash
# at_simd_level.sh LEVEL CH PROGRAM [ARGUMENTS]: runs the program with CH_SIMD=LEVEL. Exit: that of the
# program; 77 where this processor has no such level.
set -euo pipefail

export CH_SIMD=$1
ch=$2
shift 2
if ! said=$("$ch" version 2>&1); then
  echo "$said"
  [[ $said == *"this processor has no"* ]] && exit 77
  exit 1
fi
exec "$@"
