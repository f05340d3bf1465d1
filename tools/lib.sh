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

# build_preset PRESET TARGET WHAT FIRST-TIME: configures when needed and builds, quietly.
build_preset() { with_lock "$1" build_locked "$@"; }

build_locked() {
  local preset=$1 target=$2 what=$3 first=$4
  local folder=$root/build/$preset log=$root/build/$preset.log
  if [[ ! -f $folder/build.ninja ]]; then
    say "$what ($first)..."
  else
    say "$what..."
  fi
  configure_and_build "$preset" "$target" >"$log" 2>&1 </dev/null && return
  # Perhaps a package was removed since we looked; the next call looks again.
  rm -f "$root"/build/packages.*
  tail -n 40 "$log" >&2
  say "error: the build failed"
  say "  note: the whole log is in $log"
  exit 70
}

# In a subshell: the program must start in the folder it was called from.
configure_and_build() (
  preset=$1 target=$2
  cd "$root" || return
  # A clone that was moved or copied cannot use its old cache.
  cache=build/$preset/CMakeCache.txt
  if [[ -f $cache ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "build/$preset"
  fi
  if [[ ! -f build/$preset/build.ninja ]]; then
    launcher=()
    command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    cmake --preset "$preset" "${launcher[@]}" || return
  fi
  cmake --build "build/$preset" --target "$target" -j "$(jobs)"
)
