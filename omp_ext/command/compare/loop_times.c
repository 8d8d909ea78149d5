/* Times of the program's loops in runs. */
#include "omp_ext/command/compare/loop_times.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Where a run stands among the samples. */
struct slot {
    size_t round, candidate;
};

static struct keel_loop_time *find(const struct keel_loop_times *loops, const char *place)
{
    for (size_t i = 0; i < loops->count; i++) {
        if (strcmp(loops->of[i].place, place) == 0) {
            return &loops->of[i];
        }
    }
    return NULL;
}

static struct keel_loop_time *add(struct keel_loop_times *loops, const char *place,
                                  const char *function)
{
    if (loops->of == NULL) {
        loops->of = calloc(KEEL_LOOP_TIMES_MAX, sizeof *loops->of);
    }
    if (loops->of == NULL || loops->count == KEEL_LOOP_TIMES_MAX) {
        loops->left_out = true;
        return NULL;
    }
    struct keel_loop_time *loop = &loops->of[loops->count];
    *loop = (struct keel_loop_time){.place = strdup(place),
                                    .function = strdup(function),
                                    .samples = {.candidates = loops->candidates}};
    if (loop->place == NULL || loop->function == NULL) {
        free(loop->place);
        free(loop->function);
        return NULL;
    }
    loops->count++;
    return loop;
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

/* Of several loops at one place, as instances of a template, the sum. */
static double time_at(const json_t *list, const char *place, double *instances)
{
    double sum_s = 0;
    const json_t *loop;
    size_t i;

    *instances = 0;
    json_array_foreach(list, i, loop)
    {
        if (strcmp(text_of(loop, "kind"), "loop") == 0 &&
            !json_is_true(json_object_get(loop, "nested")) &&
            strcmp(text_of(loop, "place"), place) == 0) {
            sum_s += json_number_value(json_object_get(loop, "elapsed_s"));
            *instances += json_number_value(json_object_get(loop, "instances"));
        }
    }
    return sum_s;
}

/* One loop of a process; one that another process has told of keeps its time where that is longer.
 */
static void note(struct keel_loop_times *loops, const json_t *list, const json_t *told,
                 struct slot slot)
{
    const char *place = text_of(told, "place");
    double instances;

    if (place[0] == '\0' || strcmp(text_of(told, "kind"), "loop") != 0 ||
        json_is_true(json_object_get(told, "nested"))) {
        return;
    }
    double time_s = time_at(list, place, &instances);
    struct keel_loop_time *loop = find(loops, place);
    if (loop == NULL) {
        loop = add(loops, place, text_of(told, "function"));
    }
    if (loop != NULL && time_s > 0 &&
        !(keel_samples_at(&loop->samples, slot.round, slot.candidate) >= time_s)) {
        loop->instances = instances;
        keel_samples_note(&loop->samples, slot.round, slot.candidate, time_s);
    }
}

static void note_process(struct keel_loop_times *loops, const json_t *process, struct slot slot)
{
    const json_t *list = json_object_get(process, "loop"), *loop;
    size_t i;

    json_array_foreach(list, i, loop)
    {
        note(loops, list, loop, slot);
    }
}

bool keel_loop_times_read(struct keel_loop_times *loops, const char *report, size_t round,
                          size_t candidate)
{
    json_t *document = json_load_file(report, 0, NULL);
    const json_t *processes = json_object_get(document, "processes"), *process;
    bool known = json_integer_value(json_object_get(document, "keel_report")) == 1 &&
                 json_array_size(processes) > 0;
    size_t i;

    if (known) {
        loops->reports++;
        json_array_foreach(processes, i, process)
        {
            note_process(loops, process, (struct slot){round, candidate});
        }
    }
    json_decref(document);
    return known;
}

void keel_loop_times_free(struct keel_loop_times *loops)
{
    for (size_t i = 0; i < loops->count; i++) {
        free(loops->of[i].place);
        free(loops->of[i].function);
        keel_samples_free(&loops->of[i].samples);
    }
    free(loops->of);
    *loops = (struct keel_loop_times){.candidates = loops->candidates};
}
