#!/bin/sh
# Prints without end and without a newline.
yes xxxxxxxxxxxxxxxx | tr -d '\n'
