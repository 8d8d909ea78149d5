/* What of Keel and of what it stands on is there: files, libraries, compilers, MPI. */
#ifndef OMP_EXT_COMMAND_DOCTOR_SOFTWARE_H
#define OMP_EXT_COMMAND_DOCTOR_SOFTWARE_H

#include "omp_ext/command/doctor/finding.h"
#include "omp_ext/command/parts/compiler.h"

/* Keel's version, and whether its folder stays. */
void keel_software_installation(struct keel_finding *finding);

/* The libraries that are loaded on demand. */
void keel_software_libraries(struct keel_finding *finding);

/* The compiler in use, and its plugin. Sets `compiler`. */
void keel_software_compiler(struct keel_finding *finding, struct keel_compiler *compiler);

/* The MPI that libkeel_mpi.so is for, and that of mpicc. */
void keel_software_mpi(struct keel_finding *finding);

#endif
