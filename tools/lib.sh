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

# with_lock NAME COMMAND...: runs it holding build/NAME.lock (descriptor 9), so that two calls at once do
# the work once. Programs that it starts hold the lock too: when this script is killed, its compilers
# go on, and the next call must wait for them.
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
  "$@"
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
  local -a as_root=() install=()
  say "installing ${#missing[@]} Debian packages with apt-get (tools/packages.txt says why):"
  say "  ${missing[*]}"
  if [[ $EUID -ne 0 ]]; then
    command -v sudo >/dev/null || packages_failed "neither root nor sudo" "${missing[@]}"
    as_root=(sudo)
  fi
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q
    -o DPkg::Lock::Timeout=300)
  # Without network the lists we have may still do, so only the installation decides. Packages may
  # start daemons, which must not keep our lock.
  "${apt[@]}" update >"$log" 2>&1 </dev/null 9>&- || true
  install=("${apt[@]}" install -y --no-install-recommends "${missing[@]}")
  "${install[@]}" >>"$log" 2>&1 </dev/null 9>&- && return
  if grep -q 'dpkg was interrupted' "$log"; then
    say "an earlier installation was interrupted; dpkg --configure -a ends it first"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive dpkg --configure -a >>"$log" 2>&1 </dev/null 9>&- &&
      "${install[@]}" >>"$log" 2>&1 </dev/null 9>&- && return
  fi
  packages_failed "$(apt_trouble "$log"); its words are in $log" "${missing[@]}"
}

# apt_trouble LOG: what apt-get complains of, as far as we know its words.
apt_trouble() {
  local holder
  holder=$(grep -om1 'held by process [0-9]* ([^)]*)' "$1") &&
    echo "another program installs packages (the lock is $holder)" && return
  grep -qE 'dpkg was interrupted' "$1" && echo "dpkg --configure -a failed" && return
  grep -qE '^sudo: ' "$1" && echo "sudo refused" && return
  grep -qE 'Temporary failure resolving|Could not (resolve|connect)|Network is unreachable|Failed to fetch' "$1" &&
    echo "apt-get cannot reach its servers" && return
  grep -qE 'Unable to locate package|has no installation candidate' "$1" &&
    echo "this release has not all of them" && return
  echo "apt-get failed"
}

# Exit status 69 (a service is unavailable), so that callers can tell it from a failed build.
packages_failed() {
  local why=$1 before='' after=''
  shift
  if [[ $EUID -ne 0 ]]; then
    before="su -c '" after="'"
    command -v sudo >/dev/null && before="sudo sh -c '"
  fi
  [[ $why == dpkg* ]] && before+="dpkg --configure -a && "
  (die "these Debian packages are missing and could not be installed" "$*" "note: $why" \
    "hint: ${before}apt-get update && apt-get install --no-install-recommends $*$after") || exit 69
}

# What a build cannot do without, whatever the packages are called here.
need_compiler() {
  local name
  local -a missing=()
  for name in cmake ninja "${CXX:-c++}"; do
    command -v "$name" >/dev/null || missing+=("$name")
  done
  [[ ${#missing[@]} -eq 0 ]] ||
    die "the build needs ${missing[*]}, not found in \$PATH" \
      "hint: on Debian: apt-get install --reinstall g++ cmake ninja-build"
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
  need_compiler
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

# time_left SECONDS DONE ALL: ", about 3 minutes left", as soon as it can be estimated.
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
    # What precompiled headers need, as ccache's manual says. Comments count, because g++ takes a
    # precompiled header whose sources differ in them for one of other files.
    command -v ccache >/dev/null &&
      launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_SLOPPINESS=pch_defines,time_macros;CCACHE_COMMENTS=1;ccache")
    cmake --preset "$preset" "${launcher[@]}" "$@" || return
  fi
  # shellcheck disable=SC2086  # several targets may be named
  cmake --build "build/$preset" --target $target -j "$(jobs)"
)

# must_configure FOLDER [CMAKE ARGUMENT...]: whether CMake has to run: never did, did before the
# packages of today were installed or the presets were changed, or with other arguments.
must_configure() {
  local folder=$1 newer argument
  shift
  [[ -f $folder/build.ninja ]] || return 0
  for newer in "$root"/build/packages.* "$root/CMakePresets.json"; do
    [[ $newer -nt $folder/build.ninja ]] && return 0
  done
  for argument in "$@"; do
    argument=${argument#-D}
    grep -qE "^${argument%%=*}:[A-Z]+=${argument#*=}\$" "$folder/CMakeCache.txt" || return 0
  done
  return 1
}
