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

#include "bench/papers_dir/prema05/message.h"
#include "bench/papers_dir/prema05/settings.h"
#include "bench/papers_dir/prema05/task_graph.h"
#include "bench/papers_dir/prema05/weights.h"
#include "schedules/model/objects_terms.h"
#include "schedules/model/objects_bounds.h"

#define HANDSHAKES 2 /* it asks how many tasks there are, and then for one */

static struct keel_objects describe(const struct settings *settings, const double *weight)
{
    uint32_t processors = (uint32_t)settings->processors, block = (uint32_t)settings->tasks;

    return (struct keel_objects){
        .processors = processors,
        .weight = weight,
        .neighbourhood = (uint32_t)settings->neighbours,
        .handshakes = HANDSHAKES,
        .early = settings->threshold > 1,
        .quantum_s = settings->quantum,
        .context_s = settings->context,
        .poll_s = settings->poll,
        .message_s = settings->startup,
        .byte_s = settings->byte,
        .request_bytes = sizeof(struct scene_message),
        .task_bytes = settings->object_bytes,
        .task_messages = settings->messages * task_graph_leaving(block * processors, block),
        .task_message_bytes = settings->message_bytes,
        .uninstall_s = settings->install,
        .pack_s = settings->pack * settings->object_bytes,
        .unpack_s = settings->pack * settings->object_bytes,
        .install_s = settings->install,
        .decision_s = settings->decision,
    };
}

static bool forecast(const struct settings *settings, const char *text)
{
    uint32_t tasks = (uint32_t)settings->tasks * (uint32_t)settings->processors;
    double *weight = calloc(tasks + 1, sizeof *weight);
    struct keel_objects objects = describe(settings, weight);
    struct keel_objects_forecast all, published;
    void *scratch = malloc(keel_objects_scratch(&objects) + 1);

    bool fine =
        weights_make(settings->weights, tasks, settings->work * objects.processors, weight) &&
        (settings->classes != 2 || weights_two_classes(tasks, weight)) &&
        weights_split(weight, tasks, &objects.classes) &&
        keel_objects_predict(&objects, &published, NULL) &&
        keel_objects_predict(&objects, &all, scratch);
    if (fine) {
        printf("%s %.0f %.0f %s %g %.4f %.4f %.4f %.4f %.4f\n", text, settings->processors,
               settings->tasks, settings->weights, settings->quantum, all.lower.total_s,
               all.average_s, all.upper.total_s, published.average_s, all.unbalanced_s);
    }
    free(scratch);
    free(weight);
    return fine;
}

int main(int argc, char **argv)
{
    struct settings settings;

    settings_begin(&settings);
    for (int i = 1; i < argc; i++) {
        if (strchr(argv[i], '=') == NULL && !forecast(&settings, argv[i])) {
            fprintf(stderr, "forecast: %s: no tasks, or weights=%s is unknown\n", argv[i],
                    settings.weights);
            return 1;
        }
        if (strchr(argv[i], '=') != NULL && !settings_set(&settings, argv[i])) {
            fprintf(stderr, "forecast: '%s' is no setting\n", argv[i]);
            return 1;
        }
    }
    return 0;
}
