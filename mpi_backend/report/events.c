/* Events of ranks in the trace that libkeel.so writes. */
#define _GNU_SOURCE
#include "mpi_backend/report/mpi_report.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "mpi_backend/process/mpi_process.h"

typedef const struct keel_trace_ranks *meeting(uint32_t version, uint32_t *newest);

static const struct keel_trace_ranks *_Atomic met;

/* Once: what is asked for does not come. */
static void complain(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const struct keel_ranks_settings *settings = keel_mpi_settings();

    if (settings->traces && settings->prints_common && !atomic_flag_test_and_set(&told)) {
        keel_mpi_misuse("KEEL_TRACE: libkeel.so is not in the process, so nothing is traced "
                        "(`keel run`, or `keel libs --mpi` for linking)");
    }
}

/* Another release of libkeel.so traces without: lending says that they do not belong together. */
void keel_mpi_events_begin(void)
{
    meeting *meet = (meeting *)dlsym(RTLD_DEFAULT, "keel_trace_meet");
    uint32_t newest;

    if (meet == NULL) {
        if (!keel_mpi_libkeel_is_there()) {
            complain();
        }
    } else if (atomic_load(&met) == NULL) {
        atomic_store(&met, meet(KEEL_TRACE_VERSION, &newest));
    }
}

const struct keel_trace_ranks *keel_mpi_events(void)
{
    /* acquire: pairs with the store above */
    const struct keel_trace_ranks *events = atomic_load_explicit(&met, memory_order_acquire);

    return events != NULL && events->wanted() ? events : NULL;
}
