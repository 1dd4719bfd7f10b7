#!/bin/sh
# Prints something that is no answer.
echo "Segmentation fault (core dumped)"
sleep 60
