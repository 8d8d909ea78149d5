#!/bin/bash
# Messages go to the handler of the program, that of libkeel.so or of libkeel_mpi.so, and to standard error without one.
source tests/support/mpirun.sh

messages=$(keel_path tests/mpi_backend/job/messages)
libkeel=$(keel_path omp_ext/libkeel.so)

# heard MESSAGES NAME [VARIABLE=VALUE...] ARGUMENT...: nothing is wrong, and so many messages are on standard error.
heard()
{
    local output status passed
    passed=$(passed_file)
    output=$(KEEL_TEST_PASSED=$passed timeout "$tap_patience_s" env "${@:3}" 2>&1)
    status=$?
    [ "$status" = 0 ] && all_passed "$passed" 1 >&2 && [ "$output" = "$(yes 'keel: MPI is not initialised; nothing is shared among ranks' | head -n "$1")" ]
    tap_result $? "$2" && return
    diag "exit status: $status"
    diag "$output"
}

for by in keel mpi; do
    heard 1 "$by: handed to the handler" LD_PRELOAD="$libkeel" "$messages" "$by" handed
    heard 2 "$by: within the handler" LD_PRELOAD="$libkeel" "$messages" "$by" within
    heard 0 "$by: several threads" LD_PRELOAD="$libkeel" "$messages" "$by" threads
    heard 0 "$by: in a child" LD_PRELOAD="$libkeel" "$messages" "$by" forked
done
heard 1 'handlers of both' LD_PRELOAD="$libkeel" "$messages" keel both
heard 0 'messages of libkeel.so' KEEL_SCHEDULE=binlpt LD_PRELOAD="$libkeel" "$messages" keel libkeel
for check in 'handed 1' 'within 2' 'threads 0' 'forked 0'; do
    heard "${check#* }" "without libkeel.so: ${check% *}" "$messages" mpi "${check% *}"
done
done_testing
