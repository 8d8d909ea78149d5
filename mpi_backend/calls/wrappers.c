/* A wrapper for each call of MPI, in C and in Fortran, all from one table. A wrapper hands on its
 * arguments as the words in which they came, so one serves any MPI. */
#include <stddef.h>
#include <stdint.h>

#include "mpi_backend/calls/mpi_calls.h"
#include "mpi_backend/calls/calls_table.h"

#define PUBLIC __attribute__((visibility("default")))

typedef intptr_t word;

/* --- so many arguments --- */

#define P0 void
#define P1 word a
#define P2 P1, word b
#define P3 P2, word c
#define P4 P3, word d
#define P5 P4, word e
#define P6 P5, word f
#define P7 P6, word g
#define P8 P7, word h
#define P9 P8, word i
#define P10 P9, word j
#define P11 P10, word k
#define P12 P11, word l
#define P13 P12, word m
#define P14 P13, word n

#define A0
#define A1 a
#define A2 A1, b
#define A3 A2, c
#define A4 A3, d
#define A5 A4, e
#define A6 A5, f
#define A7 A6, g
#define A8 A7, h
#define A9 A8, i
#define A10 A9, j
#define A11 A10, k
#define A12 A11, l
#define A13 A12, m
#define A14 A13, n

/* Fortran's: an error code more, and perhaps a string's length, which is handed on unseen. */
#define F0 2
#define F1 3
#define F2 4
#define F3 5
#define F4 6
#define F5 7
#define F6 8
#define F7 9
#define F8 10
#define F9 11
#define F10 12
#define F12 14

#define JOINED(one, other) one##other
#define PARAMETERS(count) JOINED(P, count)
#define ARGUMENTS(count) JOINED(A, count)

/* --- wrappers --- */

#define CALL_NEXT(type, call, count) ((type(*)(PARAMETERS(count)))(call).next)(ARGUMENTS(count))

#define BEGIN(function, shown, may_wait)                        \
    static struct keel_mpi_wrapped wrapped = {                  \
        .symbol = #function, .name = shown, .waits = may_wait}; \
    struct keel_mpi_call call = keel_mpi_call_begin(&wrapped, __builtin_return_address(0))

/* shown: in the report; waits: see keel_mpi_wrapped; then: what is done behind the call. */
#define WRAP_C(function, shown, waits, count, then) \
    PUBLIC int function(PARAMETERS(count));         \
    PUBLIC int function(PARAMETERS(count))          \
    {                                               \
        BEGIN(function, shown, waits);              \
        int code = CALL_NEXT(int, call, count);     \
        keel_mpi_call_end(&call);                   \
        then;                                       \
        return code;                                \
    }

#define WRAP_NAME(function, shown, waits, count, then) \
    PUBLIC void function(PARAMETERS(count));           \
    PUBLIC void function(PARAMETERS(count))            \
    {                                                  \
        BEGIN(function, shown, waits);                 \
        CALL_NEXT(void, call, count);                  \
        keel_mpi_call_end(&call);                      \
        then;                                          \
    }

/* Fortran's names: of mpif.h and the module mpi; of mpi_f08 under Open MPI; under MPICH. */
#define WRAP_FORTRAN(lower, shown, waits, count, then)       \
    WRAP_NAME(mpi_##lower##_, shown, waits, count, then)     \
    WRAP_NAME(mpi_##lower##_f08_, shown, waits, count, then) \
    WRAP_NAME(mpi_##lower##_f08ts_, shown, waits, count, then)

#define WRAP(Name, lower, waits, count, then)            \
    WRAP_C(MPI_##Name, "MPI_" #Name, waits, count, then) \
    WRAP_FORTRAN(lower, "MPI_" #Name, waits, F##count, then)

#define MEASURE(Name, lower, count) WRAP(Name, lower, true, count, (void)0)
#define MEASURE_ASKING(Name, lower, count) WRAP(Name, lower, false, count, (void)0)
KEEL_MPI_CALLS(MEASURE, MEASURE_ASKING)

WRAP(Finalize, finalize, true, 0, (void)0)

#define START keel_mpi_calls_start(__builtin_return_address(0))

/* C has argc and argv there, which Fortran has not. */
WRAP_C(MPI_Init, "MPI_Init", true, 2, START)
WRAP_C(MPI_Init_thread, "MPI_Init_thread", true, 4, START)
WRAP_FORTRAN(init, "MPI_Init", true, 1, START)
WRAP_FORTRAN(init_thread, "MPI_Init_thread", true, 3, START)
