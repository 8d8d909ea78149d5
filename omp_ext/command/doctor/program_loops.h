/* Whether loops of a program come to Keel, as far as its file and its libraries tell. */
#ifndef OMP_EXT_COMMAND_DOCTOR_PROGRAM_LOOPS_H
#define OMP_EXT_COMMAND_DOCTOR_PROGRAM_LOOPS_H

#include "omp_ext/command/doctor/finding.h"

/* The program that execvp() would run for that name. Nothing of it runs. */
void keel_program_loops(const char *name, struct keel_finding *finding);

#endif
