#!/usr/bin/env bash
# Fetches JDKs that this Debian release has no packages for, to run the matrix on every Java that unflake supports.
#
#   scripts/jdks.sh DIR [VERSION...]     afterwards DIR/8/bin/javac, DIR/11/bin/javac, … work
#   UNFLAKE_JDK_DIR=DIR scripts/test.sh  uses them
#
# Versions that the system has are linked. On Debian, the others are unpacked (not installed) from the unstable release:
# nothing outside of DIR changes. Their programs want a newer C library than an older release has, so that library is unpacked
# beside them and the programs are pointed at it. On Ubuntu, they are installed with apt-get.
set -euo pipefail
# shellcheck source=setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

[ $# -ge 1 ] || stop "no directory" "scripts/jdks.sh DIR [VERSION...]"
mkdir -p "$1"
dir=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- 8 11 17 21 25

missing=()
for version in "$@"; do
  [ -x "$dir/$version/bin/javac" ] && continue
  home=$(jdks | awk -v wanted="$version" '$1 == wanted { print $2; exit }')
  if [ -n "$home" ]; then
    ln -sfn "$home" "$dir/$version"
  else
    missing+=("$version")
  fi
done

# Asks apt about unstable, from the mirror that the system uses, with lists of its own.
apt_unstable() {
  apt-get -qq -o Dir::Etc::SourceList="$work/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$work/lists" \
    -o Dir::Cache="$work/cache" -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@"
}

# Of the same release, so it runs with the same library.
patchelf() { "$lib/$loader" --library-path "$lib" "$work/root/usr/bin/patchelf" "$@"; }

# Makes a program use the C library in $lib. Scripts are left alone.
point_at_library() {
  local path
  path=$(patchelf --print-rpath "$1" 2>/dev/null) || return 0
  patchelf --set-interpreter "$lib/$loader" --force-rpath --set-rpath "${path:+$path:}$lib" "$1"
}

# Ubuntu has packages of all of them.
install_from_apt() {
  local version
  apt_update "JDK $*"
  for version in "$@"; do
    in_apt "openjdk-$version-jdk-headless" || stop "apt has no JDK $version" "put it into $dir/$version yourself"
    install_packages "openjdk-$version-jdk-headless"
    ln -sfn "$(jdks | awk -v wanted="$version" '$1 == wanted { print $2; exit }')" "$dir/$version"
  done
}

unpack_from_unstable() {
  local mirror arch triplet packages=(libc6 libstdc++6 libgcc-s1 zlib1g patchelf) version home file link target
  command -v apt-get >/dev/null || stop "JDKs $* are missing, and there is no apt-get here" "put them into $dir yourself"
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null || true; } |
    sed -nE 's#^(URIs:|deb( \[[^]]*\])?) +(https?://[^ ]+/debian)/?( .*)?$#\3#p' | head -n 1)
  if [ -z "$mirror" ]; then
    install_from_apt "$@"
    return
  fi
  arch=$(dpkg --print-architecture)
  triplet=$(uname -m)-linux-gnu
  work=$dir/.work
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/debs" "$work/root"
  printf 'deb [trusted=yes] %s unstable main\n' "$mirror" >"$work/sources.list"

  apt_unstable update
  for version in "$@"; do packages+=("openjdk-$version-jdk-headless" "openjdk-$version-jre-headless"); done
  (cd "$work/debs" && apt_unstable download "${packages[@]}")
  for file in "$work"/debs/*.deb; do dpkg -x "$file" "$work/root"; done

  lib=$work/root/usr/lib/$triplet
  loader=$(cd "$lib" && ls ld-linux*.so.* | head -n 1)
  # Debian keeps a JDK's configuration in /etc and links to it.
  find "$work/root/usr/lib/jvm" -type l -lname '/etc/java*' | while read -r link; do
    target=$work/root$(readlink "$link")
    if [ -e "$target" ]; then rm "$link" && cp -r "$target" "$link"; fi
  done
  for version in "$@"; do
    home=$work/root/usr/lib/jvm/java-$version-openjdk-$arch
    find "$home" -type f \( -path '*/bin/*' -o -name jspawnhelper \) | while read -r file; do point_at_library "$file"; done
    ln -sfn "$home" "$dir/$version"
  done
}

[ ${#missing[@]} -eq 0 ] || unpack_from_unstable "${missing[@]}"
for version in "$@"; do
  [ "$(jdk_feature "$dir/$version")" = "$version" ] || stop "JDK $version does not work in $dir/$version" "remove $dir and try again"
  say "$version: $dir/$version"
done
