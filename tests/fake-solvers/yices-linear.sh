#!/bin/sh
# Takes no products of unknowns, and calls everything one.
. "$(dirname "$0")/talk.inc"
on_check() { echo '(error "non-linear arithmetic is not allowed in logic ALL")'; }
talk
