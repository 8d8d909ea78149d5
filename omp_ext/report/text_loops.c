/* The loops of a job, each place once, with the sums over all ranks.
 *
 * Two lines for each: its losses and source position; its schedule and advice. With KEEL_EXPLAIN,
 * also Keel's measurements. */
#include "omp_ext/report/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_document.h"
#include "schedules/arithmetic/arithmetic.h"
#include "schedules/text/text.h"

#define NAME_LEAST 16
#define BELOW 10         /* columns in front of a loop's second line */
#define SMALL_PART 0.005 /* of the time of all threads: loops that lose less are only counted */

static const char *known(const char *text)
{
    return text != NULL ? text : "";
}

/* A place, with the sums of all its loops. Times of threads are summed over threads and ranks;
 * times of a region exclude those of its loops and parts, so that lost_s of all places that are not
 * nested add up. elapsed_s, gain_s and instances are maxima over ranks. */
struct place {
    struct keel_report_loop loop; /* other members: of the rank that loses most there */
    struct keel_report_loss loss;
    double longest_s; /* largest busy_s of a thread times the threads, summed */
    bool is_rest;     /* a region that has loops or parts of its own in the table */
};

/* --- places of one process --- */

/* Makes a place of each loop of the process, from place[0] on. */
static void begin_places(const struct keel_report_process *process, struct place *place)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        struct keel_report_loss loss = keel_report_loss_of(&process->loop[i]);
        place[i] = (struct place){
            .loop = process->loop[i],
            .loss = loss,
            .longest_s = loss.busy_s * (1 + loss.imbalance_percent / 100),
        };
    }
}

/* Subtracts the losses of loops and parts from those of the enclosing region. */
static void leave_out_inner(const struct keel_report_process *process, struct place *place)
{
    for (size_t i = 0; i < process->loop_count; i++) {
        const struct keel_report_loop *loop = &process->loop[i];
        if (loop->kind == KEEL_REPORT_REGION || loop->region < 0 ||
            (size_t)loop->region >= process->loop_count ||
            process->loop[loop->region].kind != KEEL_REPORT_REGION) {
            continue;
        }
        struct place *region = &place[loop->region];
        region->is_rest = true;
        region->loss.lost_s = max_real(region->loss.lost_s - place[i].loss.lost_s, 0);
        region->loss.waited_s = max_real(region->loss.waited_s - place[i].loss.waited_s, 0);
        region->loss.claiming_s = max_real(region->loss.claiming_s - place[i].loss.claiming_s, 0);
        region->loop.elapsed_s = max_real(region->loop.elapsed_s - place[i].loop.elapsed_s, 0);
    }
}

/* --- places of all processes --- */

static int compare_text(const char *a, const char *b)
{
    return strcmp(known(a), known(b));
}

static int compare_where(const struct keel_report_loop *a, const struct keel_report_loop *b)
{
    int result = compare_text(a->place, b->place);

    result = result != 0 ? result : compare_text(a->function, b->function);
    return result != 0 ? result : (a->kind > b->kind) - (a->kind < b->kind);
}

static int by_lost(const void *first, const void *second)
{
    const struct place *a = first, *b = second;

    if (a->loss.lost_s != b->loss.lost_s) {
        return a->loss.lost_s < b->loss.lost_s ? 1 : -1;
    }
    if (a->loop.elapsed_s != b->loop.elapsed_s) {
        return a->loop.elapsed_s < b->loop.elapsed_s ? 1 : -1;
    }
    return compare_where(&a->loop, &b->loop);
}

static int by_where(const void *first, const void *second)
{
    const struct place *a = first, *b = second;
    int where = compare_where(&a->loop, &b->loop);

    return where != 0 ? where : by_lost(first, second);
}

/* In one process, a loop of a template has a site for each type, and a loop of an inlined function
 * one for each caller: times add up. Ranks run at the same time. */
static void add(struct place *sum, const struct place *place, bool in_process)
{
    sum->is_rest |= place->is_rest;
    sum->loop.mixed |=
        place->loop.mixed || compare_text(sum->loop.schedule, place->loop.schedule) != 0;
    sum->loss.lost_s += place->loss.lost_s;
    sum->loss.waited_s += place->loss.waited_s;
    sum->loss.claiming_s += place->loss.claiming_s;
    sum->loss.busy_s += place->loss.busy_s;
    sum->longest_s += place->longest_s;
    sum->loop.iterations += place->loop.iterations;
    if (in_process) {
        sum->loop.elapsed_s += place->loop.elapsed_s;
        sum->loop.gain_s += place->loop.gain_s;
        sum->loop.instances += place->loop.instances;
    } else {
        sum->loop.elapsed_s = max_real(sum->loop.elapsed_s, place->loop.elapsed_s);
        sum->loop.gain_s = max_real(sum->loop.gain_s, place->loop.gain_s);
        sum->loop.instances = sum->loop.instances > place->loop.instances ? sum->loop.instances
                                                                          : place->loop.instances;
    }
}

/* Merges equal places; other members are those of the one that loses most. A process may have
 * several loops without a known place, which are not merged. */
static size_t join(struct place *place, size_t count, bool in_process)
{
    size_t kept = 0;

    qsort(place, count, sizeof *place, by_where);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && compare_text(place[i].loop.place, "") != 0 &&
            compare_where(&place[kept - 1].loop, &place[i].loop) == 0) {
            add(&place[kept - 1], &place[i], in_process);
        } else {
            place[kept++] = place[i];
        }
    }
    return kept;
}

/* Returns the *count places of the job in descending order of lost_s, to be freed; NULL if there
 * are none or memory is short. */
static struct place *places_of(const struct keel_report_job *job, size_t *count)
{
    size_t all = 0;

    for (size_t i = 0; i < job->count; i++) {
        all += job->process[i]->loop_count;
    }
    struct place *place = all > 0 ? calloc(all, sizeof *place) : NULL;
    *count = 0;
    for (size_t i = 0; place != NULL && i < job->count; i++) {
        begin_places(job->process[i], place + *count);
        leave_out_inner(job->process[i], place + *count);
        *count += join(place + *count, job->process[i]->loop_count, true);
    }
    if (place != NULL) {
        *count = join(place, *count, false);
        qsort(place, *count, sizeof *place, by_lost);
    }
    return place;
}

/* --- one place --- */

static void print_cut(FILE *stream, const char *text, size_t width)
{
    const size_t length = strlen(text);
    const bool whole = length <= width;

    fprintf(stream, "%.*s%s", (int)(whole ? length : width - 3), text, whole ? "" : "...");
}

static void print_where(FILE *stream, const struct place *place, size_t width)
{
    static const char *const kinds[] = {
        [KEEL_REPORT_REGION] = "region ",
        [KEEL_REPORT_LOOP] = "",
        [KEEL_REPORT_PART] = "part ",
    };
    const struct keel_report_loop *loop = &place->loop;
    char text[512];

    keel_text_append(text, sizeof text, 0, "%s%s%s", kinds[loop->kind],
                     known(loop->place)[0] != '\0' ? loop->place : "?",
                     loop->nested ? ", nested" : "");
    print_cut(stream, text, width);
    fputs("\n", stream);
}

static struct keel_report_number percent(double value)
{
    struct keel_report_number number;

    snprintf(number.text, sizeof number.text, value < 10 ? "%.1f%%" : "%.0f%%", value);
    return number;
}

/* count: 0 if not counted. */
static struct keel_report_number counted(uint64_t count)
{
    return count > 0 ? keel_report_count(count) : (struct keel_report_number){"-"};
}

static const char head[] =
    "thread s  clock s                  thread s  thread s\n"
    "    lost     time  share  imbal.    waiting    chunks  times    iter.  loop\n";

/* No share for instances that run at the same time: their sum exceeds the process's time. */
static struct keel_report_number share(const struct place *place, double elapsed_s)
{
    const bool together = place->loop.nested || place->loop.elapsed_s > elapsed_s * 1.005;

    return together ? (struct keel_report_number){"-"}
                    : percent(elapsed_s > 0 ? place->loop.elapsed_s / elapsed_s * 100 : 0);
}

/* Not known for the rest of a region: the times of its threads are those of the whole region. */
static struct keel_report_number imbalance(const struct place *place)
{
    double more =
        place->loss.busy_s > 0 ? max_real(place->longest_s / place->loss.busy_s - 1, 0) : 0;

    return place->is_rest ? (struct keel_report_number){"-"} : percent(100 * more);
}

static void print_numbers(FILE *stream, const struct place *place, double elapsed_s)
{
    int width = fprintf(
        stream, "%8s %8s %6s %7s %10s %9s %6s %8s  ", keel_report_seconds(place->loss.lost_s).text,
        keel_report_seconds(place->loop.elapsed_s).text, share(place, elapsed_s).text,
        imbalance(place).text, keel_report_seconds(place->loss.waited_s).text,
        keel_report_seconds(place->loss.claiming_s).text,
        keel_report_count(place->loop.instances).text, counted(place->loop.iterations).text);

    print_where(stream, place,
                width < KEEL_REPORT_COLUMNS - NAME_LEAST ? (size_t)(KEEL_REPORT_COLUMNS - width)
                                                         : NAME_LEAST);
}

/* Writes function and schedule; for a region with loops or parts, that its line excludes them. */
static size_t write_how(char *text, size_t size, const struct place *place)
{
    const struct keel_report_loop *loop = &place->loop;
    const bool named = known(loop->function)[0] != '\0';
    size_t length = 0;

    text[0] = '\0';
    if (named) {
        length = keel_text_append(text, size, length, "%.50s%s", loop->function,
                                  strlen(loop->function) > 50 ? "..." : "");
    }
    if (place->is_rest) {
        length = keel_text_append(text, size, length, "%soutside its loops and parts",
                                  named ? ": " : "");
    } else if (known(loop->schedule)[0] != '\0') {
        length = keel_text_append(text, size, length, "%s%s%s", named ? ": " : "", loop->schedule,
                                  place->loop.mixed ? " (others before)" : "");
    }
    return length;
}

/* Writes the advice, and its gain unless the advice contains it, in s, ms or us. */
static size_t write_advice(char *text, size_t size, const struct place *place)
{
    const char *suggestion = known(place->loop.suggestion);
    size_t length = 0;

    text[0] = '\0';
    if (place->is_rest) {
        return 0;
    }
    if (suggestion[0] != '\0') {
        length = keel_text_append(text, size, length, "-> %s", suggestion);
    }
    if (place->loop.gain_s > 0 && strstr(suggestion, "s less") == NULL) {
        length = keel_text_append(text, size, length, "%s%s s less", length > 0 ? ": " : "-> ",
                                  keel_report_seconds(place->loop.gain_s).text);
    }
    return length;
}

/* Prints both on one line if there is room. */
static void print_notes(FILE *stream, const struct place *place)
{
    char how[256], advice[512];
    size_t length = write_how(how, sizeof how, place);
    size_t more = write_advice(advice, sizeof advice, place);

    if (length > 0) {
        fprintf(stream, "%*s", BELOW, "");
        print_cut(stream, how, KEEL_REPORT_COLUMNS - BELOW);
    }
    if (length > 0 && more > 0 && BELOW + length + 1 + more <= KEEL_REPORT_COLUMNS) {
        fprintf(stream, " %s\n", advice);
        return;
    }
    fputs(length > 0 ? "\n" : "", stream);
    keel_report_print_wrapped(stream, advice, BELOW, BELOW + 3); /* after the arrow */
}

/* Prints the lines of KEEL_EXPLAIN. */
static void print_learned(FILE *stream, const struct place *place)
{
    const char *line = place->is_rest ? "" : known(place->loop.learned);
    char text[1024];

    for (size_t length; line[0] != '\0'; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        keel_text_append(text, sizeof text, 0, "%.*s", (int)length, line);
        keel_report_print_wrapped(stream, text, BELOW, BELOW + 2);
    }
}

/* --- all places --- */

/* The place that takes the most time; `count` if there is none. Nested ones are part of others. */
static size_t longest_of(const struct place *place, size_t count)
{
    size_t longest = count;

    for (size_t i = 0; i < count; i++) {
        if (!place[i].is_rest && !place[i].loop.nested && place[i].loop.elapsed_s > 0 &&
            (longest == count || place[i].loop.elapsed_s > place[longest].loop.elapsed_s)) {
            longest = i;
        }
    }
    return longest;
}

/* Moves a place forward to index `to`. */
static void bring(struct place *place, size_t from, size_t to)
{
    const struct place brought = place[from];

    memmove(place + to + 1, place + to, (from - to) * sizeof *place);
    place[to] = brought;
}

/* Returns the number of places to show, at most `top`, or any number if `top` is 0. The places are
 * sorted by losses; those with lines of KEEL_EXPLAIN, and the one that takes the most time, are
 * moved to the end of the shown ones if they lose little. */
static size_t shown_of(struct place *place, size_t count, double least, bool all, size_t top)
{
    const size_t most = top > 0 ? top : count;
    size_t shown = 0;

    while (shown < count &&
           (all || place[shown].loss.lost_s >= least || place[shown].loop.gain_s > 0)) {
        shown++;
    }
    shown = shown < most ? shown : most;
    for (size_t i = shown; i < count && shown < most; i++) {
        if (!place[i].is_rest && known(place[i].loop.learned)[0] != '\0') {
            bring(place, i, shown++);
        }
    }
    const size_t longest = longest_of(place, count);
    if (longest < count && longest >= shown && (shown < most || most > 1)) {
        shown -= shown == most;
        bring(place, longest, shown++);
    }
    return shown;
}

static void print_rest(FILE *stream, const struct place *place, size_t count, const char *what,
                       const char *hint)
{
    double lost_s = 0;

    for (size_t i = 0; i < count; i++) {
        lost_s += place[i].loop.nested ? 0 : place[i].loss.lost_s;
    }
    if (count > 0) {
        fprintf(stream, "%8s  in %zu %s%s%s\n", keel_report_seconds(lost_s).text, count, what,
                keel_text_plural(count), hint);
    }
}

static uint64_t left_out(const struct keel_report_job *job)
{
    uint64_t count = 0;

    for (size_t i = 0; i < job->count; i++) {
        count += job->process[i]->loops_left_out;
    }
    return count;
}

void keel_report_print_loops(FILE *stream, const struct keel_report_job *job,
                             const struct keel_report_summary *summary, bool all, size_t top)
{
    size_t count;
    struct place *place = places_of(job, &count);
    double least = SMALL_PART * (double)summary->threads * summary->elapsed_s;
    size_t shown = shown_of(place, count, least, all, top);

    if (shown > 0) {
        fputs(head, stream);
    }
    for (size_t i = 0; i < shown; i++) {
        print_numbers(stream, &place[i], summary->elapsed_s);
        print_notes(stream, &place[i]);
        print_learned(stream, &place[i]);
    }
    if (count == 0) {
        fputs("  no parallel region or loop has reached Keel\n", stream);
    } else {
        print_rest(stream, place + shown, count - shown, shown > 0 ? "other" : "loop",
                   all ? "" : " (keel report --all shows them)");
    }
    if (left_out(job) > 0) {
        fprintf(stream, "  there was no room to record %s more place%s\n",
                keel_report_count(left_out(job)).text, keel_text_plural(left_out(job)));
    }
    free(place);
}
