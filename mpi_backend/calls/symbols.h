/* Functions of MPI, and of what stands below it, wherever the program has them. */
#ifndef MPI_BACKEND_CALLS_SYMBOLS_H
#define MPI_BACKEND_CALLS_SYMBOLS_H

/* `among`: all symbols, RTLD_DEFAULT, or those behind this library, RTLD_NEXT; else among those of
 * the object that `caller` lies in, which has MPI there where that came with dlopen(). NULL:
 * nobody defines it. Any thread. */
void *keel_mpi_symbol(void *among, const char *symbol, const void *caller);

#endif
