#!/usr/bin/env bash
# Builds unflake and runs it on the demo project that it carries inside of itself.
set -euo pipefail
# shellcheck source=setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/setup.sh"

set_up
cd "$top"
cargo build --release --locked --package unflake
exec "${CARGO_TARGET_DIR:-target}/release/unflake" demo "$@"
