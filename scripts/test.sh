#!/usr/bin/env bash
# Runs all tests: format, lints, every test of the workspace, the tables of APIs and levels, and a part of the
# conformance suites, on Java 8 to 25. JDKs that are missing are fetched, once.
#
#   UNFLAKE_JDK_DIR=DIR   where to look for JDKs, and where to put those that are missing
#   UNFLAKE_JDKS=A:B:C    exactly these JDKs
#   UNFLAKE_GRADLE=DIR    the Gradle to test with; one is put together if this is not set
set -euo pipefail
# shellcheck source=setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

set_up
cd "$top"

if [ -z "${UNFLAKE_JDKS:-}" ]; then
  UNFLAKE_JDK_DIR=${UNFLAKE_JDK_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/unflake-jdks}
  scripts/jdks.sh "$UNFLAKE_JDK_DIR"
  UNFLAKE_JDKS=$(for version in 8 11 17 21 25; do readlink -f "$UNFLAKE_JDK_DIR/$version"; done | paste -sd :)
  export UNFLAKE_JDKS
fi

if [ -z "${UNFLAKE_GRADLE:-}" ]; then
  export UNFLAKE_GRADLE=${XDG_CACHE_HOME:-$HOME/.cache}/unflake-gradle/8.8
  if [ ! -x "$UNFLAKE_GRADLE/bin/gradle" ]; then
    command -v python3 >/dev/null || install_packages python3
    # Done beside it and then renamed: an interrupted one does not count.
    rm -rf "$UNFLAKE_GRADLE" "$UNFLAKE_GRADLE.new"
    scripts/gradle.sh 8.8 "$UNFLAKE_GRADLE.new" >&2
    mv "$UNFLAKE_GRADLE.new" "$UNFLAKE_GRADLE"
  fi
fi

# The quotations of the models are looked up in the JDK's own sources, which Debian packs separately.
has_sources() { jdk_homes | while read -r home; do [ -e "$home/lib/src.zip" ] || [ -e "$home/src.zip" ] && echo yes; done | grep -q yes; }
if [ -z "${UNFLAKE_JDK_SOURCES:-}" ] && ! has_sources; then
  feature=$(jdk_feature "$(readlink -f "${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}")")
  install_packages "openjdk-$feature-source"
fi

if command -v rustup >/dev/null; then
  rustup component add rustfmt clippy >&2 || true
fi
# The tests start Maven some hundred times, each time for seconds: one compiler tier and a simple collector start soonest.
export MAVEN_OPTS=${MAVEN_OPTS:--XX:TieredStopAtLevel=1 -XX:+UseSerialGC}

cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings
cargo test --workspace --locked
cargo xtask matrix --only rows,levels
oldest=${UNFLAKE_JDKS%%:*} newest=${UNFLAKE_JDKS##*:}
cargo xtask conformance --quick --java "$oldest" --java "$newest"
