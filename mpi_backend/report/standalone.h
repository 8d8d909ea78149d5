/* The report of a process without libkeel.so, such as one that has rows and no OpenMP: this library
 * writes it, of what ranks have done alone.
 *
 *   process.c -> [standalone] -> keel_report_write() of libkeel_report.so, at exit */
#ifndef MPI_BACKEND_REPORT_STANDALONE_H
#define MPI_BACKEND_REPORT_STANDALONE_H

#include "omp_ext/report/ranks.h"

/* Has the report written when the program ends, where KEEL_REPORT says. Once. */
void keel_mpi_standalone_begin(keel_report_ranks_provider *provider);

#endif
