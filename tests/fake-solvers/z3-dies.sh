#!/bin/sh
# Dies at once, with a message.
echo "z3: cannot open libfoo.so" >&2
exit 127
