# shellcheck shell=bash
# Functions of tools/on_debian and tools/on_arm64: folders that debootstrap fills with Debian packages.
# Sourced after tools/lib.sh.
: "${root:?set by the script that sources this}"

# fail STATUS MESSAGE [LINE...]: as die of tools/lib.sh, with another exit status.
fail() { (die "${@:2}") || exit "$1"; }

# The address of Debian's archive in this machine's apt settings. Nothing where there is none:
# debootstrap has an address of its own.
mirror() {
  local here uri
  here=$(. /etc/os-release 2>/dev/null && [[ $ID == debian ]] && echo "${VERSION_CODENAME:-}") || return 0
  # shellcheck disable=SC2016  # they are apt-get's
  uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v here="$here" '$2 == here && $3 == "main" { print $1; exit }') || return 0
  # Debian's images for clouds name a file with a list of addresses.
  [[ $uri == mirror+file:* ]] && uri=$(awk '/^http/ { print $1; exit }' "${uri#mirror+file:}")
  [[ $uri == http* || $uri == file:* ]] && echo "${uri%/}"
  return 0
}

# A proxy that apt is told of, for debootstrap and for apt inside.
find_proxy() {
  local found=
  eval "$(apt-config shell found Acquire::http::Proxy 2>/dev/null || true)"
  [[ -z $found ]] || export http_proxy=$found https_proxy=$found
}

# need_space GB WHAT FOLDER: that much is free below build/.
need_space() {
  local free
  free=$(df --output=avail -BG "$root/build" | tr -dc '0-9')
  ((free >= $1)) ||
    fail 69 "$2 needs $1 GB, and there are $free GB left" "note: it would lie in $3" "hint: df -h $root/build"
}

need_debootstrap() {
  command -v debootstrap >/dev/null && return
  (with_lock packages install_missing debootstrap) || exit 69
  command -v debootstrap >/dev/null || fail 69 "debootstrap is not installed" "hint: apt-get install debootstrap"
}

may_mount() { unshare --mount true 2>/dev/null; }

# show_help WORD: the first lines of the script, where WORD asks for them.
show_help() {
  [[ ${1:-} == -h || ${1:-} == --help ]] || return 0
  sed -n '2,/^set /s/^# \{0,1\}//p' "${BASH_SOURCE[1]}"
  exit 0
}

# run_debootstrap WHAT LOG RELEASE FOLDER [OPTION...]: fills FOLDER, or removes it and says why not.
run_debootstrap() {
  local what=$1 log=$2 release=$3 folder=$4 address
  local -a apart=()
  shift 4
  may_mount && apart=(unshare --mount)  # what it mounts ends with it, even when it is killed
  find_proxy
  address=$(mirror)
  "${apart[@]}" debootstrap "$@" "$release" "$folder" ${address:+"$address"} >"$log" 2>&1 </dev/null && return
  rm -rf --one-file-system "$folder"
  fail 69 "debootstrap could not make $what" \
    "note: $(debootstrap_trouble "$log" "$release" "${address:-of debootstrap}")" \
    "hint: debootstrap $* $release $folder${address:+ $address}"
}

# debootstrap_trouble LOG RELEASE MIRROR: what it complains of, as far as we know its words.
debootstrap_trouble() {
  if grep -qE 'No space left' "$1"; then
    echo "the disk is full"
  elif grep -qE "Failed getting release file|Couldn't download|Invalid Release|unable to resolve" "$1"; then
    echo "the mirror $3 does not answer, or has no $2; its words are in $1"
  else
    echo "$(grep -m1 '^E:' "$1" || tail -n 1 "$1"); its words are in $1"
  fi
}
