#!/bin/sh
# Answers unsat to everything.
. "$(dirname "$0")/talk.inc"
on_check() { echo unsat; }
talk
