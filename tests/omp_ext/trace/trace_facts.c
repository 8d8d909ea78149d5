/* What a trace in JSON holds, and what is wrong with it.
 *
 *   trace_facts [--cut|--forms] FILE
 *
 * Prints, a line each: "instances COUNTxITERATIONS ..." of loops whose chunks are all there, and
 * "CATEGORY COUNT" of the events; then "wrong: ..." for whatever is not as it should be: JSON, one
 * element on each line, members and their types, intervals of a thread that overlap without
 * containing each other, chunks that leave out or repeat iterations or lie outside of their loop,
 * loops without all of their threads, waits
 * that end before all have come. --cut: the program was ended, so instances may lack chunks
 * and threads; the file is whole nevertheless. --forms: prints only what members the arguments of
 * events have, "KIND CATEGORY MEMBER" for each, with the name of events that have no category and
 * "-" for nothing; numbers of decisions and counters, whose names are many, are left out. */
#include <inttypes.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct event {
    const char *name, *category, *kind, *at;
    int64_t began_ns, ended_ns;
    int64_t process, thread, instance, first, last, iterations, threads;
};

static json_t *trace; /* texts of the events are its */
static struct event *events;
static size_t event_count;
static bool cut;
static int problems;

#define WRONG(...) (problems++ < 20 ? (printf("wrong: " __VA_ARGS__), putchar('\n')) : 0)

/* --- reading --- */

static int64_t whole(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_integer(value) ? json_integer_value(value) : -1;
}

static int64_t ns_of(const json_t *object, const char *name)
{
    return (int64_t)(json_number_value(json_object_get(object, name)) * 1000 + 0.5);
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static bool has_texts(const json_t *arguments, const char *first, const char *second)
{
    return *text_of(arguments, first) != '\0' && (second == NULL || *text_of(arguments, second));
}

static void look_at_members(const struct event *event, const json_t *arguments)
{
    bool span = strcmp(event->kind, "X") == 0;
    bool good = *event->name != '\0' && event->process >= 0 && event->thread >= 0 &&
                (!span || event->ended_ns >= event->began_ns);

    if (strcmp(event->category, "loop") == 0) {
        good = good && event->iterations >= 0 && event->threads > 0 && event->instance > 0 &&
               has_texts(arguments, "schedule", "function");
    } else if (strcmp(event->category, "chunk") == 0) {
        good = good && event->instance > 0 && event->first >= 0 && event->last > event->first;
    } else if (strcmp(event->category, "region") == 0) {
        good = good && event->threads > 0 && has_texts(arguments, "place", NULL);
    } else if (strcmp(event->category, "wait") == 0) {
        good = good && has_texts(arguments, "at", NULL);
    } else if (strcmp(event->category, "decision") == 0) {
        good = good && has_texts(arguments, "reason", NULL) &&
               (has_texts(arguments, "loop", NULL) || has_texts(arguments, "rows", NULL));
    }
    if (!good) {
        WRONG("members of a '%s' of category '%s'", event->name, event->category);
    }
}

static void read_event(const json_t *object, struct event *event)
{
    const json_t *arguments = json_object_get(object, "args");

    *event = (struct event){
        .name = text_of(object, "name"),
        .category = text_of(object, "cat"),
        .kind = text_of(object, "ph"),
        .at = text_of(arguments, "at"),
        .began_ns = ns_of(object, "ts"),
        .process = whole(object, "pid"),
        .thread = whole(object, "tid"),
        .instance = whole(arguments, "instance"),
        .first = whole(arguments, "first"),
        .last = whole(arguments, "last"),
        .iterations = whole(arguments, "iterations"),
        .threads = whole(arguments, "threads"),
    };
    event->ended_ns = event->began_ns + ns_of(object, "dur");
    if (strchr("XiCM", *event->kind) == NULL || *event->kind == '\0') {
        WRONG("an event of kind '%s'", event->kind);
    }
    look_at_members(event, arguments);
}

/* An element on each line, with '[' and ']' on lines of their own. */
static void look_at_lines(const char *path, size_t elements)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0, lines = 0;
    ssize_t length;

    while ((length = getline(&line, &size, file)) > 0) {
        bool bracket = strcmp(line, "[\n") == 0 || strcmp(line, "]\n") == 0;
        bool element = line[0] == '{' && length > 2 && line[length - 1] == '\n' &&
                       (line[length - 2] == '}' || strcmp(line + length - 3, "},\n") == 0);
        if (bracket != (lines == 0 || lines == elements + 1) || (!bracket && !element)) {
            WRONG("line %zu: %.80s", lines + 1, line);
        }
        lines++;
    }
    if (lines != elements + 2) {
        WRONG("%zu lines of %zu elements", lines, elements);
    }
    free(line);
    fclose(file);
}

static void read_trace(const char *path)
{
    json_error_t error;
    trace = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (!json_is_array(trace) || json_array_size(trace) == 0) {
        printf("wrong: not an array of JSON: %s, line %d\n", error.text, error.line);
        exit(1);
    }
    event_count = json_array_size(trace);
    events = calloc(event_count, sizeof *events);
    for (size_t i = 0; i < event_count; i++) {
        read_event(json_array_get(trace, i), &events[i]);
    }
    if (strcmp(events[0].name, "keel_trace") != 0 || strcmp(events[0].kind, "M") != 0) {
        WRONG("the first event is '%s'", events[0].name);
    }
    look_at_lines(path, event_count);
}

/* --- a thread's intervals --- */

static int by_thread_and_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

#define BY(member)                             \
    if (x->member != y->member) {              \
        return x->member < y->member ? -1 : 1; \
    }
    BY(process)
    BY(thread)
    BY(began_ns)
    if (x->ended_ns != y->ended_ns) {
        return x->ended_ns > y->ended_ns ? -1 : 1;
    }
    /* Of equal intervals the chunk lies in the loop, and the loop in the region. */
    return strcmp(y->category, x->category);
}

static bool is_span(const struct event *event)
{
    return strcmp(event->kind, "X") == 0;
}

/* Stack of the intervals that the next one may lie in. */
static void look_at_nesting(void)
{
    const struct event *open[100];
    size_t depth = 0;

    qsort(events, event_count, sizeof *events, by_thread_and_time);
    for (size_t i = 0; i < event_count; i++) {
        const struct event *event = &events[i];
        if (!is_span(event)) {
            continue;
        }
        while (depth > 0 && (open[depth - 1]->process != event->process ||
                             open[depth - 1]->thread != event->thread ||
                             open[depth - 1]->ended_ns <= event->began_ns)) {
            depth--;
        }
        if (depth > 0 && open[depth - 1]->ended_ns < event->ended_ns) {
            WRONG("%s %s (thread %" PRId64 ", %" PRId64 "+%" PRId64 " ns) goes %" PRId64
                  " ns beyond %s %s",
                  event->category, event->name, event->thread, event->began_ns,
                  event->ended_ns - event->began_ns, event->ended_ns - open[depth - 1]->ended_ns,
                  open[depth - 1]->category, open[depth - 1]->name);
        }
        bool in_loop = false;
        for (size_t k = 0; k < depth; k++) {
            in_loop |=
                strcmp(open[k]->category, "loop") == 0 && open[k]->instance == event->instance;
        }
        if (strcmp(event->category, "chunk") == 0 && !in_loop && !cut) {
            WRONG("a chunk of %s is in no loop of its instance", event->name);
        }
        if (depth < sizeof open / sizeof open[0]) {
            open[depth++] = event;
        }
    }
}

/* --- instances --- */

static int by_instance(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    int category = strcmp(y->category, x->category); /* loops before chunks */

    BY(process)
    BY(instance)
    if (category != 0) {
        return category;
    }
    BY(first)
    return 0;
}

static bool is_part_of_instance(const struct event *event)
{
    return strcmp(event->category, "loop") == 0 || strcmp(event->category, "chunk") == 0;
}

/* The events [from, to) are those of one instance. Returns its iterations; -1: they are not all
 * there. */
static int64_t look_at_instance(size_t from, size_t to)
{
    int64_t at = 0, iterations = -1, threads = 0, loops = 0;

    for (size_t i = from; i < to; i++) {
        const struct event *event = &events[i];
        if (strcmp(event->category, "loop") == 0) {
            if (loops > 0 && (iterations != event->iterations || threads != event->threads)) {
                WRONG("threads of %s do not agree on the loop", event->name);
            }
            loops++;
            iterations = event->iterations;
            threads = event->threads;
        } else {
            if (event->first != at && !cut) {
                WRONG("%s, instance %" PRId64 ": a chunk begins at %" PRId64 ", expected %" PRId64,
                      event->name, event->instance, event->first, at);
            }
            at = event->last;
        }
    }
    if (loops != threads && !cut) {
        WRONG("%s: %" PRId64 " of %" PRId64 " threads", events[from].name, loops, threads);
    }
    return at == iterations && loops == threads ? at : -1;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void look_at_instances(void)
{
    int64_t *iterations = calloc(event_count, sizeof *iterations);
    size_t count = 0, parts = 0;

    for (size_t i = 0; i < event_count; i++) {
        if (is_part_of_instance(&events[i])) {
            struct event other = events[parts];
            events[parts++] = events[i];
            events[i] = other;
        }
    }
    qsort(events, parts, sizeof *events, by_instance);
    for (size_t from = 0, to; from < parts; from = to) {
        for (to = from; to < parts && events[to].instance == events[from].instance &&
                        events[to].process == events[from].process;
             to++) {
        }
        int64_t whole_one = look_at_instance(from, to);
        if (whole_one >= 0) {
            iterations[count++] = whole_one;
        } else if (!cut) {
            WRONG("%s, instance %" PRId64 ": iterations are missing at the end", events[from].name,
                  events[from].instance);
        }
    }
    qsort(iterations, count, sizeof *iterations, by_number);
    printf("instances");
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && iterations[to] == iterations[from]; to++) {
        }
        printf(" %zux%" PRId64, to - from, iterations[from]);
    }
    putchar('\n');
    free(iterations);
}

/* --- waits --- */

/* Counters of processors differ by some ns. */
#define SAME_NS 2000

/* Whether the wait is for all threads to come to the end of what the event is. */
static bool waits_for(const struct event *wait, const struct event *event)
{
    const char *category = strcmp(wait->at, "loop end") == 0     ? "loop"
                           : strcmp(wait->at, "region end") == 0 ? "region"
                                                                 : "none";

    return strcmp(event->category, category) == 0 && event->instance == wait->instance &&
           event->process == wait->process;
}

/* Nobody leaves the end of a loop or region before all have come to it. */
static void look_at_waits(void)
{
    for (size_t i = 0; i < event_count && event_count < 20000; i++) {
        for (size_t k = 0; k < event_count && *events[i].at != '\0'; k++) {
            if (waits_for(&events[i], &events[k]) &&
                events[i].ended_ns + SAME_NS < events[k].ended_ns) {
                WRONG("thread %" PRId64 " does not wait at the %s of %s, instance %" PRId64,
                      events[i].thread, events[i].at, events[k].name, events[k].instance);
            }
        }
    }
}

/* --- sums --- */

static void count_events(void)
{
    static const char *const categories[] = {"region", "loop",     "chunk", "wait",
                                             "move",   "decision", "trace"};

    for (size_t k = 0; k < sizeof categories / sizeof categories[0]; k++) {
        size_t count = 0;
        for (size_t i = 0; i < event_count; i++) {
            count += strcmp(events[i].category, categories[k]) == 0;
        }
        printf("%s %zu\n", categories[k], count);
    }
}

static void print_forms(void)
{
    size_t i;
    const char *name;
    json_t *object, *value;

    json_array_foreach(trace, i, object)
    {
        const char *kind = text_of(object, "ph"), *category = text_of(object, "cat");
        bool has_numbers = *kind == 'C' || strcmp(category, "decision") == 0, any = false;
        const char *about = *category != '\0' ? category : text_of(object, "name");
        json_object_foreach(json_object_get(object, "args"), name, value)
        {
            if (!has_numbers || json_is_string(value)) {
                printf("%s %s %s\n", kind, about, name);
                any = true;
            }
        }
        if (!any) {
            printf("%s %s -\n", kind, about);
        }
    }
}

int main(int argc, char **argv)
{
    cut = argc > 2 && strcmp(argv[1], "--cut") == 0;
    if (argc < 2) {
        return 2;
    }
    read_trace(argv[argc - 1]);
    if (strcmp(argv[1], "--forms") == 0) {
        print_forms();
        return 0;
    }
    count_events();
    look_at_nesting();
    look_at_waits();
    look_at_instances();
    return problems > 0;
}
