# shellcheck shell=bash
# Sourced by the other scripts: sees to it that Rust, a JDK, Maven and a C linker are there.
#
# What is there already is used. What is missing is installed with apt-get (through sudo where needed), Rust through rustup
# where apt's is too old. Where that cannot be done, the script says what is missing and stops.

rust_needed=90   # 1.90, as in Cargo.toml
java_needed=17   # to build with; the tests of a project may run on any Java from 8 on

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }

stop() {
  say "error: $1"
  say "hint: $2"
  exit 1
}

# Runs apt-get as root, or says why it cannot. $1: what for.
apt_as_root() {
  local what=$1 sudo=()
  shift
  command -v apt-get >/dev/null ||
    stop "$what is missing, and there is no apt-get here to install it" "install it in your system's own way, then run this again"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || stop "$what is missing, and installing it needs root" "as root: apt-get install $what"
    sudo=(sudo)
  fi
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >&2
}

# Learns what apt has, once.
apt_updated=
apt_update() {
  [ -n "$apt_updated" ] && return
  apt_as_root "$1" update || say "apt-get update failed; going on with what apt knows"
  apt_updated=1
}

install_packages() {
  apt_update "$*"
  say "installing: $*"
  apt_as_root "$*" install -y --no-install-recommends "$@" || stop "apt-get could not install $*" "see its messages above"
}

# Whether apt could install this package.
in_apt() { apt-cache show "$1" >/dev/null 2>&1; }

# The minor version of a Rust 1.x: 90.
rust_minor() { "$1" --version 2>/dev/null | sed -nE 's/^[a-z]+ 1\.([0-9]+)\..*/\1/p'; }

rust_is_fine() {
  local minor
  command -v cargo >/dev/null && command -v rustc >/dev/null || return 1
  minor=$(cd "$top" && rust_minor rustc)
  [ -n "$minor" ] && [ "$minor" -ge "$rust_needed" ]
}

set_up_rust() {
  rust_is_fine && return
  if [ -d "${CARGO_HOME:-$HOME/.cargo}/bin" ]; then
    PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    rust_is_fine && return
  fi
  if ! command -v rustup >/dev/null; then
    install_packages ca-certificates curl
    local candidate
    candidate=$(apt-cache policy rustc 2>/dev/null | sed -nE 's/^ *Candidate: 1\.([0-9]+)\..*/\1/p')
    if [ -n "$candidate" ] && [ "$candidate" -ge "$rust_needed" ]; then
      install_packages rustc cargo
      rust_is_fine && return
    fi
    if in_apt rustup; then
      install_packages rustup
    else
      say "installing rustup, since apt has no Rust from 1.$rust_needed on"
      curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh -s -- -y --profile minimal --no-modify-path >&2 ||
        stop "Rust 1.$rust_needed or newer is missing, and rustup could not be installed" \
          "install Rust from https://www.rust-lang.org/tools/install, then run this again"
      PATH=${CARGO_HOME:-$HOME/.cargo}/bin:$PATH
    fi
  fi
  rustup toolchain install stable --profile minimal >&2 ||
    stop "rustup could not install Rust" "see its messages above"
  export RUSTUP_TOOLCHAIN=stable
  rust_is_fine || stop "Rust 1.$rust_needed or newer is needed, and $(rustc --version 2>/dev/null || echo none) is what there is" \
    "rustup update stable"
}

# The feature version of the JDK at $1: 8, 17; nothing if it is none.
jdk_feature() {
  [ -x "$1/bin/javac" ] || return 0
  "$1/bin/javac" -version 2>&1 | sed -nE 's/^javac (1\.)?([0-9]+).*/\2/p' | head -n 1
}

# The homes of all JDKs here, one per line: JAVA_HOME, the PATH, the system's, SDKMAN's, and those in UNFLAKE_JDK_DIR.
jdk_homes() {
  local javac home
  {
    if [ -n "${JAVA_HOME:-}" ]; then printf '%s\n' "$JAVA_HOME"; fi
    if javac=$(command -v javac); then dirname "$(dirname "$(readlink -f "$javac")")"; fi
    for home in /usr/lib/jvm/* "$HOME"/.sdkman/candidates/java/* ${UNFLAKE_JDK_DIR:+"$UNFLAKE_JDK_DIR"/*}; do
      printf '%s\n' "$home"
    done
  } | while read -r home; do
    if [ -x "$home/bin/javac" ]; then readlink -f "$home"; fi
  done | awk '!seen[$0]++'
}

# One home per feature version, as `version home`.
jdks() {
  local home feature
  jdk_homes | while read -r home; do
    feature=$(jdk_feature "$home")
    if [ -n "$feature" ]; then printf '%s %s\n' "$feature" "$home"; fi
  done | awk '!seen[$1]++' | sort -n
}

# The home of the first JDK that is new enough to build with.
jdk_to_build_with() { jdks | awk -v needed="$java_needed" '$1 >= needed && !found { print $2; found = 1 }'; }

# Whether the JDK that builds would take by themselves is new enough.
java_is_fine() {
  local home=${JAVA_HOME:-} feature
  if [ -z "$home" ]; then
    home=$(command -v javac) || return 1
    home=$(dirname "$(dirname "$(readlink -f "$home")")")
  fi
  feature=$(jdk_feature "$home")
  [ -n "$feature" ] && [ "$feature" -ge "$java_needed" ]
}

set_up_java() {
  local home version
  java_is_fine && return
  home=$(jdk_to_build_with)
  if [ -z "$home" ]; then
    apt_update "a JDK"
    for version in 17 21 25; do
      if in_apt "openjdk-$version-jdk-headless"; then
        install_packages "openjdk-$version-jdk-headless"
        break
      fi
    done
    home=$(jdk_to_build_with)
    [ -n "$home" ] || stop "there is no JDK from $java_needed on, and apt has none" "install one and set JAVA_HOME to it"
  fi
  export JAVA_HOME=$home
  PATH=$JAVA_HOME/bin:$PATH
}

set_up() {
  command -v cc >/dev/null || install_packages gcc libc6-dev
  set_up_rust
  set_up_java
  command -v mvn >/dev/null || install_packages maven
  say "using $(rustc --version), $(javac -version 2>&1), $(mvn --version 2>/dev/null | sed -n 1p | sed 's/\x1b\[[0-9;]*m//g')"
}
