#!/bin/sh
# Does not know.
. "$(dirname "$0")/talk.inc"
on_check() { echo unknown; }
talk
