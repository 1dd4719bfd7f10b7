#!/bin/sh
# Complains about a command, and answers all the same.
echo '(error "line 3 column 7: no such sort")'
. "$(dirname "$0")/talk.inc"
on_check() { echo unsat; }
talk
