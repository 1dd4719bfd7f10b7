#!/bin/sh
# Prints blanks without end.
yes ""
