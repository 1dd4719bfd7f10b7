#!/bin/sh
# Says sat, and has no model.
. "$(dirname "$0")/talk.inc"
on_check() { echo sat; }
on_value() { echo '(error "model is not available")'; }
talk
