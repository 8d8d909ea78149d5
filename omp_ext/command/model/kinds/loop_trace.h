/* What a trace tells of a loop: its cost profile, how far iterations stray from it, and the speeds
 * of threads.
 *
 *   costs of iterations, or chunks of KEEL_TRACE --> [trace] --> workload of predict.h */
#ifndef OMP_EXT_COMMAND_MODEL_KINDS_LOOP_TRACE_H
#define OMP_EXT_COMMAND_MODEL_KINDS_LOOP_TRACE_H

#include "omp_ext/command/model/kinds/recorded.h"
#include "schedules/learn/profile.h"

#define KEEL_LOOP_TRACE_THREADS_MAX 4096

struct keel_loop_trace {
    struct keel_profile profile;
    double iterations;
    double mean_ns;                            /* time of an iteration on an average thread */
    double deviation_ns;                       /* of single iterations around the profile */
    unsigned threads;                          /* 0: the trace does not tell */
    double speed[KEEL_LOOP_TRACE_THREADS_MAX]; /* > 0, mean 1; of threads without chunks 1 */
};

/* Lines of six fields are chunks: loop,instance,thread,first,last,time_ns, `last` being the first
 * iteration behind the chunk. Of any others the last field is the cost of one iteration, s.
 *
 * loop: which of several loops; NULL: there has to be just one. False, and what is wrong,
 * KEEL_MODEL_PROBLEM_MAX bytes. */
bool keel_loop_trace_read(const struct keel_recorded *trace, const char *loop,
                          struct keel_loop_trace *loop_trace, char *problem);

#endif
