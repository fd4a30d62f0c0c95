#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# alone.sh PROGRAM [arguments...]: runs it with separate process ids, shared memory and System V objects, if permitted.
# Processes that it leaves running end with it, and recorders share nothing with others on the machine.
own=(unshare --mount --ipc --pid --fork --kill-child --mount-proc)
inside='mount -t tmpfs -o mode=1777 tmpfs /dev/shm && "$@"; exit $?' # stays as the first process, to reap orphans
if "${own[@]}" bash -c "$inside" alone true 2> /dev/null; then exec "${own[@]}" bash -c "$inside" alone "$@"; fi
echo "alone.sh: no namespaces to be had here; it runs beside all others" >&2
exec "$@"
