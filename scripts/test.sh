#!/usr/bin/env bash
# Runs all tests: format, lints, then every test of the workspace on the JDKs that are here.
#
#   UNFLAKE_JDK_DIR=DIR   a directory with more JDKs, as scripts/jdks.sh makes one
#   UNFLAKE_JDKS=A:B:C    exactly these JDKs
set -euo pipefail
# shellcheck source=setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

set_up
cd "$top"

# The quotations of the models are looked up in the JDK's own sources, which Debian packs separately.
has_sources() { jdk_homes | while read -r home; do [ -e "$home/lib/src.zip" ] || [ -e "$home/src.zip" ] && echo yes; done | grep -q yes; }
if [ -z "${UNFLAKE_JDK_SOURCES:-}" ] && ! has_sources; then
  feature=$(jdk_feature "$(readlink -f "${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")}")")
  install_packages "openjdk-$feature-source"
fi

if [ -z "${UNFLAKE_JDKS:-}" ]; then
  UNFLAKE_JDKS=$(jdks | awk '{ print $2 }' | paste -sd :)
  export UNFLAKE_JDKS
fi
say "JDKs:"
tr : '\n' <<<"$UNFLAKE_JDKS" | while read -r home; do say "  $(jdk_feature "$home") in $home"; done

if command -v rustup >/dev/null; then
  rustup component add rustfmt clippy >&2 || true
fi
cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings
cargo test --workspace --locked
