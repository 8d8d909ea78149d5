/* Loops that are lent to libkeel.so. */
#include "mpi_backend/loop/loan.h"

#include <stddef.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/libkeel.h"
#include "mpi_backend/loop/state/loop.h"
#include "omp_ext/lending/lending.h"

#define LOANS 1024 /* more than libkeel.so keeps */
static struct keel_mpi_loan loans[LOANS];
static unsigned made; /* so far */

static struct keel_mpi_loan *new_loan(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loan *loan = &loans[++made % LOANS];

    *loan = (struct keel_mpi_loan){loop, loop->number};
    return loan;
}

/* Why keel_mpi_libkeel() is NULL. */
static void complain(void)
{
    if (!keel_mpi_libkeel_is_there()) {
        keel_mpi_misuse(
            "libkeel.so is not in the process, so no loop can be shared among ranks "
            "(`keel run`, or `keel libs --mpi` for linking); it runs whole on every rank");
        return;
    }
    keel_mpi_misuse(
        "libkeel.so and libkeel_mpi.so are not of one release (libkeel.so lends loops by "
        "version %u, expected %u), so no loop can be shared among ranks; it runs whole on "
        "every rank",
        keel_mpi_libkeel_version(), KEEL_LENDING_VERSION);
}

int keel_mpi_loan_make(const struct keel_lender *lender, struct keel_mpi_loop *loop)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    if (libkeel == NULL) {
        complain();
        return KEEL_MPI_NO_KEEL;
    }
    if (!libkeel->lend_next(lender, new_loan(loop))) {
        keel_mpi_misuse(
            "a loop that was to be shared has not come yet; the next one is not shared");
        return KEEL_MPI_BUSY;
    }
    return KEEL_MPI_OK;
}

bool keel_mpi_loan_withdraw(struct keel_mpi_loop *loop)
{
    const struct keel_lending *libkeel = keel_mpi_libkeel();

    for (unsigned i = 0; libkeel != NULL && i < LOANS; i++) {
        if (loans[i].loop == loop && loans[i].number == loop->number &&
            libkeel->withdraw(&loans[i])) {
            return true;
        }
    }
    return false;
}
