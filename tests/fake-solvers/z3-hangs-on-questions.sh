#!/bin/sh
# Reads and listens, and takes for ever for a question.
. "$(dirname "$0")/talk.inc"
on_check() { sleep 60; }
talk
