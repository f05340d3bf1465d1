# shellcheck shell=bash
# Functions shared by ./ch, ./test and ./bench: Debian packages and builds. Sourced with $root set;
# says everything on stderr, keeps what other programs say in build/*.log.
: "${root:?set by the script that sources this}"

# Ninja ends normally after Ctrl-C, so bash would carry on.
trap 'exit 130' INT

say() { printf '%s\n' "$*" >&2; }

die() {
  say "error: $1"
  shift
  for line in "$@"; do say "  $line"; done
  exit 1
}

# with_lock NAME COMMAND...: runs it holding build/NAME.lock, so that two calls at once do the
# work once. Closing 9 for the command keeps the lock here (bash holds a private copy) and out
# of the programs it starts, which may leave daemons behind.
with_lock() {
  local name=$1
  shift
  mkdir -p "$root/build" 2>/dev/null || true
  [[ -w $root/build ]] ||
    die "cannot write to $root/build" "hint: build as the user who owns the folder"
  exec 9>"$root/build/$name.lock"
  if ! flock -w 1 9; then
    say "waiting for another build in $root to finish..."
    flock 9
  fi
  "$@" 9>&-
  exec 9>&-
}

# The names in section $1 of tools/packages.txt, without the optional ones.
packages_of() {
  awk -v section="[$1]" '/^\[/ { on = ($1 == section); next }
    on && NF && $1 !~ /^#/ && $1 !~ /\?$/ { print $1 }' "$root/tools/packages.txt"
}

# need_packages SECTION...: installs what is missing. A stamp holding the list already seen
# makes later calls free.
need_packages() {
  local -a wanted
  mapfile -t wanted < <(for section in "$@"; do packages_of "$section"; done)
  local seen="$root/build/packages.${*: -1}"
  [[ -f $seen && $(<"$seen") == "${wanted[*]}" ]] && return
  with_lock packages install_missing "${wanted[@]}"
  printf '%s\n' "${wanted[*]}" >"$seen"
}

install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    say "this is not Debian; the build needs what Debian calls: $*"
    return
  fi
  local -A have=()
  local -a missing=()
  local package state
  while read -r package state; do
    [[ $state == installed ]] && have[$package]=1
  done < <(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for package in "$@"; do
    [[ -n ${have[$package]:-} ]] || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0

  local log=$root/build/apt.log
  local -a as_root=()
  say "installing ${#missing[@]} Debian packages with apt-get (tools/packages.txt says why):"
  say "  ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || packages_failed "neither root nor sudo" "${missing[@]}"
    as_root=(sudo)
  fi
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o DPkg::Lock::Timeout=300)
  # Without network the lists we have may still do, so only the installation decides.
  "${apt[@]}" update >"$log" 2>&1 </dev/null || true
  "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1 </dev/null ||
    packages_failed "apt-get failed; its words are in $log" "${missing[@]}"
}

packages_failed() {
  local why=$1
  shift
  die "these Debian packages are missing and could not be installed" "$*" "note: $why" \
    "hint: apt-get update && apt-get install --no-install-recommends $*"
}

# One compiler per core, but not more than memory allows: a large file takes about 700 MB.
jobs() {
  local cores memory
  cores=$(nproc)
  memory=$(awk '/^MemAvailable:/ { print int($2 / 700000) }' /proc/meminfo)
  ((memory < 1)) && memory=1
  echo $((memory < cores ? memory : cores))
}

# build_preset PRESET TARGET WHAT [CMAKE ARGUMENT...]: configures when needed and builds.
build_preset() { with_lock "$1" build_locked "$@"; }

build_locked() {
  local preset=$1 target=$2 what=$3
  shift 3
  local log=$root/build/$preset.log
  [[ -f $root/build/$preset/build.ninja ]] || what+=", which takes some minutes the first time"
  say "$what (log: $log)"
  configure_and_build "$preset" "$target" "$@" 2>&1 </dev/null | follow_build "$log" && return
  # Perhaps a package was removed since we looked; the next call looks again.
  rm -f "$root"/build/packages.*
  tail -n 40 "$log" >&2
  say "error: the build failed"
  say "  note: the whole log is in $log"
  exit 70
}

# follow_build LOG: keeps what the build says in LOG, and says how far it is: on a terminal in one
# line that is written over, otherwise twice a minute.
follow_build() {
  local line done_files=0 all_files=0 next=$((SECONDS + 2)) pause=30 before='' after=$'\n'
  local begin=$SECONDS
  [[ -t 2 ]] && pause=1 before=$'\r' after=$'\e[K'
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    done_files=${BASH_REMATCH[1]} all_files=${BASH_REMATCH[2]}
    ((all_files > 5 && SECONDS >= next)) || continue
    next=$((SECONDS + pause))
    printf '%s  %d of %d files%s%s' "$before" "$done_files" "$all_files" \
      "$(time_left $((SECONDS - begin)) "$done_files" "$all_files")" "$after" >&2
  done >"$1"
  [[ -n $before && $next -gt $((begin + 2)) ]] && printf '\r\e[K' >&2
  return 0
}

# time_left SECONDS DONE ALL: ", about 3 minutes left", as soon as there is something to judge by.
time_left() {
  (($1 >= 5 && $2 >= 10)) || return 0
  local seconds=$(($1 * ($3 - $2) / $2))
  if ((seconds > 90)); then
    echo ", about $(((seconds + 30) / 60)) minutes left"
  else
    echo ", about $((seconds / 10 * 10 + 10)) seconds left"
  fi
}

# In a subshell: the program must start in the folder it was called from.
configure_and_build() (
  preset=$1 target=$2
  shift 2
  cd "$root" || return
  # A clone that was moved or copied cannot use its old cache.
  cache=build/$preset/CMakeCache.txt
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "build/$preset"
  fi
  if must_configure "build/$preset" "$@"; then
    launcher=()
    # What precompiled headers need, as ccache's manual says.
    command -v ccache >/dev/null &&
      launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache")
    cmake --preset "$preset" "${launcher[@]}" "$@" || return
  fi
  # shellcheck disable=SC2086  # several targets may be named
  cmake --build "build/$preset" --target $target -j "$(jobs)"
)

# must_configure FOLDER [CMAKE ARGUMENT...]: whether CMake has to run: never did, did before the
# packages of today were installed, or with other arguments.
must_configure() {
  local folder=$1 packages argument
  shift
  [[ -f $folder/build.ninja ]] || return 0
  for packages in "$root"/build/packages.*; do
    [[ $packages -nt $folder/build.ninja ]] && return 0
  done
  for argument in "$@"; do
    argument=${argument#-D}
    grep -qE "^${argument%%=*}:[A-Z]+=${argument#*=}\$" "$folder/CMakeCache.txt" || return 0
  done
  return 1
}
