#!/bin/sh
# Answers one question and dies.
. "$(dirname "$0")/talk.inc"
on_check() { echo unsat; exit 3; }
talk
