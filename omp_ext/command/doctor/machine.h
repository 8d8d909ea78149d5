/* What of the machine programs under Keel may use: cores, binding, clock. */
#ifndef OMP_EXT_COMMAND_DOCTOR_MACHINE_H
#define OMP_EXT_COMMAND_DOCTOR_MACHINE_H

#include "omp_ext/command/doctor/finding.h"

/* Cores, quota, and whether OMP_NUM_THREADS goes beyond. */
void keel_machine_cores(struct keel_finding *finding);

/* OMP_PROC_BIND and OMP_PLACES. */
void keel_machine_binding(struct keel_finding *finding);

/* The clock that chunks are timed by, and what reading it costs. */
void keel_machine_clock(struct keel_finding *finding);

#endif
