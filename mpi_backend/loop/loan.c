/* Loops that are lent to libkeel.so. */
#include "mpi_backend/loop/loan.h"

#include <dlfcn.h>
#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/loop/loop.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/support/message.h"

#define LOANS 1024 /* more than libkeel.so keeps */
static struct keel_mpi_loan loans[LOANS];
static unsigned made; /* so far */

static struct keel_mpi_loan *new_loan(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loan *loan = &loans[++made % LOANS];

    *loan = (struct keel_mpi_loan){loop, loop->number};
    return loan;
}

/* libkeel.so comes with the program, or by LD_PRELOAD; it may be there or not. */
int keel_mpi_loan_make(const struct keel_lender *lender, struct keel_mpi_loop *loop)
{
    bool (*lend_next)(const struct keel_lender *, void *) =
        (bool (*)(const struct keel_lender *, void *))dlsym(RTLD_DEFAULT, "keel_lending_lend_next");

    if (lend_next == NULL) {
        keel_message("libkeel.so is not in the process, so no loop can be shared among ranks "
                     "(`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank");
        return KEEL_MPI_NO_KEEL;
    }
    if (!lend_next(lender, new_loan(loop))) {
        keel_message("a loop that was to be shared has not come yet; the next one is not shared");
        return KEEL_MPI_BUSY;
    }
    return KEEL_MPI_OK;
}

bool keel_mpi_loan_withdraw(struct keel_mpi_loop *loop)
{
    bool (*withdraw)(void *) = (bool (*)(void *))dlsym(RTLD_DEFAULT, "keel_lending_withdraw");

    for (unsigned i = 0; withdraw != NULL && i < LOANS; i++) {
        if (loans[i].loop == loop && loans[i].number == loop->number) {
            return withdraw(&loans[i]);
        }
    }
    return false;
}
