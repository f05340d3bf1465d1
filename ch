#!/usr/bin/env bash
# ./ch ARGS: runs the program; installs what is missing and builds it first when that is needed.
#
# When nothing changed this is one `find` and an exec. Folders count as well as files, so an
# added or deleted source is noticed. Messages of this script go to stderr.
set -euo pipefail

self=${BASH_SOURCE[0]}
[[ -L $self ]] && self=$(readlink -f -- "$self")
[[ $self == */* ]] || self=./$self
root=$(CDPATH='' cd -- "${self%/*}" && pwd -P)
binary=$root/build/release/ch
stamp=$root/build/release.stamp

is_fresh() {
  [[ -x $binary && -f $stamp ]] || return 1
  local changed
  changed=$(find "$root"/{src,cmake,CMakeLists.txt,CMakePresets.json} \
    "$root"/tools/{layers,packages}.txt -newer "$stamp" -print -quit 2>&1) || return 1
  [[ -z $changed ]]
}

# The stamp carries the time before the build, so an edit made meanwhile counts as new.
build_if_stale() {
  is_fresh && return
  : >"$stamp.begun"
  build_locked release ch "building ch"
  mv -f "$stamp.begun" "$stamp"
}

if ! is_fresh; then
  # shellcheck source=tools/lib.sh
  source "$root/tools/lib.sh"
  need_packages run
  with_lock release build_if_stale
fi
tools_of() { command -v verilator && command -v iverilog && command -v yosys; }
case ${1:-} in simulate | synth | certify | hardware) needs_tools=1 ;; *) needs_tools= ;; esac
if [[ -n $needs_tools ]] && ! tools_of >/dev/null; then
  # shellcheck source=tools/lib.sh
  source "$root/tools/lib.sh"
  need_packages hardware
fi
if [[ ${1:-} == synth && " $* " == *' --place '* ]]; then
  # shellcheck source=tools/lib.sh
  source "$root/tools/lib.sh"
  need_packages place
  if apt-cache show nextpnr-ecp5 >/dev/null 2>&1; then need_packages place-ecp5; fi
fi
exec "$binary" "$@"
