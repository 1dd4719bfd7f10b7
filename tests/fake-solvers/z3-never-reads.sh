#!/bin/sh
# Does not read what it is sent.
sleep 60
