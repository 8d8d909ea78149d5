/* A simulated program with distributed rows: phases of computing in lock-step, a hook after each,
 * and a competing load on worker 0 that comes and goes (the experiments, PAPERS.md S15). No clock.
 */
#ifndef KEEL_TESTS_SCHEDULES_BALANCE_PHASES_H
#define KEEL_TESTS_SCHEDULES_BALANCE_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/rehearse/rehearse.h"

struct phases_program {
    const char *name;
    uint64_t rows, phases;
    double row_bytes;
    double row_s; /* of a row in a phase, on an undisturbed worker */
    bool adjacent;
};

/* From start_s on the load is on for on_s, then off, and so on every period_s; worker 0 has half
 * its speed while it is on. start_s <= 0: before the program begins. */
struct phases_load {
    double period_s, on_s, start_s;
};

struct phases_machine {
    uint32_t workers;
    double byte_s, message_s; /* of movements */
    double interact_s;
    double quantum_s;
};

struct phases_result {
    double elapsed_s;
    double load_s; /* CPU time of the load meanwhile */
    double moving_s;
    uint32_t movements;
    double efficiency; /* as S1 (PAPERS.md) defines it */
};

/* balances: by rehearsal. told: how many phases there are is known. trace: of decisions. */
struct phases_result phases_run(const struct phases_program *program,
                                const struct phases_load *load,
                                const struct phases_machine *machine, bool balances, bool told,
                                bool trace);

#endif
