/* Whether loops come to Keel here: a program is compiled and run. */
#ifndef OMP_EXT_COMMAND_DOCTOR_TRIAL_H
#define OMP_EXT_COMMAND_DOCTOR_TRIAL_H

#include "omp_ext/command/doctor/finding.h"
#include "omp_ext/command/parts/compiler.h"

/* Compiles a program with that compiler, and runs it under Keel: a loop with schedule(runtime), one
 * without a clause and the plugin, and the libgomp of both. Leaves no files. Takes a second. */
void keel_trial_run(const struct keel_compiler *compiler, struct keel_finding *loops,
                    struct keel_finding *plugin, struct keel_finding *libgomp);

#endif
