#!/bin/sh
# Opens parentheses and never closes them.
yes "((((((((" | tr -d '\n'
