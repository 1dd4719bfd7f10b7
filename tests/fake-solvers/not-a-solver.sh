#!/bin/sh
# Another program.
echo "GNU bc 1.07"
