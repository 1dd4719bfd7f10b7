#!/bin/sh
# Starts well, and answers nonsense.
. "$(dirname "$0")/talk.inc"
on_check() { echo "maybe"; }
talk
