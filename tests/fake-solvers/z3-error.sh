#!/bin/sh
# Answers with an error.
. "$(dirname "$0")/talk.inc"
on_check() { echo '(error "line 3 column 7: no such sort")'; }
talk
