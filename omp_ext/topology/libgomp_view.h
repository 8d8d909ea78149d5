/* What libgomp makes of this environment: the team that a program's first parallel region would
 * get, and where its threads would be bound. Asked of libgomp itself, in a child process that
 * starts such a team: binding the command's own threads would hide what it may use. */
#ifndef OMP_EXT_TOPOLOGY_LIBGOMP_VIEW_H
#define OMP_EXT_TOPOLOGY_LIBGOMP_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* omp_proc_bind_t. */
enum keel_libgomp_bind {
    KEEL_LIBGOMP_UNBOUND,
    KEEL_LIBGOMP_TRUE,
    KEEL_LIBGOMP_PRIMARY,
    KEEL_LIBGOMP_CLOSE,
    KEEL_LIBGOMP_SPREAD
};

struct keel_libgomp_view {
    uint32_t threads; /* of the team */
    uint32_t bind;    /* enum keel_libgomp_bind */
    uint32_t places;  /* of the process; 0: threads are not bound */
    uint64_t *first;  /* with places: thread i's processors are number[first[i]] to */
    int32_t *number;  /* number[first[i + 1] - 1]; threads + 1 and first[threads] entries */
};

/* False: there is no libgomp.so.1, or no answer of it. Prints what libgomp says about the
 * environment to standard error. */
bool keel_libgomp_view_take(struct keel_libgomp_view *view);

void keel_libgomp_view_free(struct keel_libgomp_view *view);

#endif
