#!/bin/sh
# Takes its time before it reads.
sleep 0.2
. "$(dirname "$0")/talk.inc"
on_check() { echo unsat; }
talk
