/* What Keel's model says about tasks of unequal weight on many processors (the model of objects,
 * PAPERS.md R3 to R6).
 *
 *   forecast NAME=VALUE... TEXT... NAME=VALUE... TEXT...
 *
 * Each TEXT that is no setting prints a line for what has been set before it:
 *
 *   TEXT processors tasks/processor weights quantum lower average upper published unbalanced
 *
 * published: the average by two classes of tasks alone, as the paper has it; the others are by the
 * weights of all tasks. Seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/prema05/run.h"
#include "bench/papers_dir/prema05/tasks.h"
#include "schedules/model/objects_terms.h"

#define HANDSHAKES 2     /* it asks how many tasks there are, and then for one */
#define REQUEST_BYTES 16 /* of struct scene_message */

static struct keel_objects describe(const double *weight)
{
    uint32_t processors = (uint32_t)set.processors, block = (uint32_t)set.tasks;

    return (struct keel_objects){
        .processors = processors,
        .weight = weight,
        .neighbourhood = (uint32_t)set.neighbours,
        .handshakes = HANDSHAKES,
        .early = set.threshold > 1,
        .quantum_s = set.quantum,
        .context_s = set.context,
        .poll_s = set.poll,
        .message_s = set.startup,
        .byte_s = set.byte,
        .request_bytes = REQUEST_BYTES,
        .task_bytes = set.object_bytes,
        .task_messages = set.messages * task_graph_leaving(block * processors, block),
        .task_message_bytes = set.message_bytes,
        .uninstall_s = set.install,
        .pack_s = set.pack * set.object_bytes,
        .unpack_s = set.pack * set.object_bytes,
        .install_s = set.install,
        .decision_s = set.decision,
    };
}

static bool forecast(const char *text)
{
    uint32_t tasks = (uint32_t)set.tasks * (uint32_t)set.processors;
    double *weight = calloc(tasks + 1, sizeof *weight);
    struct keel_objects objects = describe(weight);
    struct keel_objects_forecast all, published;
    void *scratch = malloc(keel_objects_scratch(&objects) + 1);

    bool fine = weights_make(set.weights, tasks, set.work * objects.processors, weight) &&
                (set.classes != 2 || weights_two_classes(tasks, weight)) &&
                weights_split(weight, tasks, &objects.classes) &&
                keel_objects_predict(&objects, &published, NULL) &&
                keel_objects_predict(&objects, &all, scratch);
    if (fine) {
        printf("%s %.0f %.0f %s %g %.4f %.4f %.4f %.4f %.4f\n", text, set.processors, set.tasks,
               set.weights, set.quantum, all.lower.total_s, all.average_s, all.upper.total_s,
               published.average_s, all.unbalanced_s);
    }
    free(scratch);
    free(weight);
    return fine;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL && !forecast(argv[i])) {
            fprintf(stderr, "forecast: %s: no tasks, or weights=%s is unknown\n", argv[i],
                    set.weights);
            return 1;
        }
        if (strchr(argv[i], '=') != NULL && !settings_take(settings, argv[i])) {
            fprintf(stderr, "forecast: '%s' is no setting\n", argv[i]);
            return 1;
        }
    }
    return 0;
}
