/* Threads of teams whose number the program has not set, and which of them compute: for
 * libkeel_mpi_calls.so, where ranks of a node share its cores.
 *
 *   entry points of regions -> [threads] -> libgomp
 *   a thread of such a team meets a loop under Keel -> [wait] -> it takes iterations
 *   a thread leaves the loop -> [over] -> those that wait */
#ifndef OMP_EXT_LOOP_TEAM_SIZES_H
#define OMP_EXT_LOOP_TEAM_SIZES_H

#include <stdbool.h>
#include <stdint.h>

/* Functions of whoever has asked; any thread may call them. */
struct keel_team_sizes {
    uint32_t own; /* threads of a team that never wait, >= 1 */
    /* Threads of a team that begins now, >= 1. */
    unsigned (*threads)(void);
    /* Before thread `thread`, not one of the first `own`, takes iterations that any thread of the
     * team may take: returns when it may, at the latest when is_over(loop). Whoever makes that true
     * calls `over` afterwards. */
    void (*wait)(uint32_t thread, bool (*is_over)(const void *), const void *loop);
    /* Thread `thread` of the team has left a loop. */
    void (*over)(uint32_t thread);
};

/* From now on regions without a clause num_threads, outside of teams of several threads, get teams
 * of as many threads as `sizes` says, or of omp_get_max_threads(), if that is less, and the other
 * functions are called for their loops. sizes: stays. Found by dlsym(): its form never changes. Any
 * thread. */
typedef void keel_team_sizes_asking(const struct keel_team_sizes *sizes);
void keel_team_sizes_ask(const struct keel_team_sizes *sizes);

#endif
