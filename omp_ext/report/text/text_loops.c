/* Two lines for each loop: what it loses and where it stands; its schedule and what to do. With
 * KEEL_EXPLAIN, what Keel knows of it. */
#include "omp_ext/report/text/print.h"

#include <stdlib.h>
#include <string.h>

#include "omp_ext/report/report_places.h"
#include "schedules/text/text.h"

#define NAME_LEAST 16
#define BELOW 10         /* columns in front of a loop's second line */
#define SMALL_PART 0.005 /* of the time of all threads: loops that lose less are counted */

static const char *known(const char *text)
{
    return text != NULL ? text : "";
}

static void print_cut(FILE *stream, const char *text, size_t width)
{
    const size_t length = strlen(text);
    const bool whole = length <= width;

    fprintf(stream, "%.*s%s", (int)(whole ? length : width - 3), text, whole ? "" : "...");
}

/* --- one loop --- */

static void print_where(FILE *stream, const struct keel_report_place *place, size_t width)
{
    static const char *const kinds[] = {
        [KEEL_REPORT_REGION] = "region ",
        [KEEL_REPORT_LOOP] = "",
        [KEEL_REPORT_PART] = "part ",
    };
    const struct keel_report_loop *loop = place->loop;
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

/* 0: nobody has counted. */
static struct keel_report_number counted(uint64_t count)
{
    return count > 0 ? keel_report_count(count) : (struct keel_report_number){"-"};
}

static const char head[] =
    "thread s  clock s                  thread s  thread s\n"
    "    lost     time  share  imbal.    waiting    chunks  times    iter.  loop\n";

/* Of instances that run at the same time, the times add up to more than the process's: no share. */
static struct keel_report_number share(const struct keel_report_place *place, double elapsed_s)
{
    const bool together = place->loop->nested || place->elapsed_s > elapsed_s * 1.005;

    return together ? (struct keel_report_number){"-"}
                    : percent(elapsed_s > 0 ? place->elapsed_s / elapsed_s * 100 : 0);
}

/* Of the rest of a region it is not known: threads' times are of all of it. */
static struct keel_report_number imbalance(const struct keel_report_place *place)
{
    return place->is_rest ? (struct keel_report_number){"-"}
                          : percent(keel_report_place_imbalance(place));
}

static void print_figures(FILE *stream, const struct keel_report_place *place, double elapsed_s)
{
    int width = fprintf(stream, "%8s %8s %6s %7s %10s %9s %6s %8s  ",
                        keel_report_seconds(place->lost_s).text,
                        keel_report_seconds(place->elapsed_s).text, share(place, elapsed_s).text,
                        imbalance(place).text, keel_report_seconds(place->waited_s).text,
                        keel_report_seconds(place->claiming_s).text,
                        keel_report_count(place->instances).text, counted(place->iterations).text);

    print_where(stream, place,
                width < KEEL_REPORT_COLUMNS - NAME_LEAST ? (size_t)(KEEL_REPORT_COLUMNS - width)
                                                         : NAME_LEAST);
}

/* Function and schedule. What loops and parts of a region lose stands in their lines. */
static size_t write_how(char *text, size_t size, const struct keel_report_place *place)
{
    const struct keel_report_loop *loop = place->loop;
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
                                  place->mixed ? " (others before)" : "");
    }
    return length;
}

/* What to do. What that gains is said, unless the text does so itself, in s, ms or us. */
static size_t write_advice(char *text, size_t size, const struct keel_report_place *place)
{
    const char *suggestion = known(place->loop->suggestion);
    size_t length = 0;

    text[0] = '\0';
    if (place->is_rest) {
        return 0;
    }
    if (suggestion[0] != '\0') {
        length = keel_text_append(text, size, length, "-> %s", suggestion);
    }
    if (place->gain_s > 0 && strstr(suggestion, "s less") == NULL) {
        length = keel_text_append(text, size, length, "%s%s s less", length > 0 ? ": " : "-> ",
                                  keel_report_seconds(place->gain_s).text);
    }
    return length;
}

/* Both on one line where there is room. */
static void print_notes(FILE *stream, const struct keel_report_place *place)
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
    keel_report_print_wrapped(stream, advice, BELOW, BELOW + 3); /* behind the arrow */
}

/* What KEEL_EXPLAIN asked for. */
static void print_learned(FILE *stream, const struct keel_report_place *place)
{
    const char *line = place->is_rest ? "" : known(place->loop->learned);
    char text[1024];

    for (size_t length; line[0] != '\0'; line += length + (line[length] == '\n')) {
        length = strcspn(line, "\n");
        keel_text_append(text, sizeof text, 0, "%.*s", (int)length, line);
        keel_report_print_wrapped(stream, text, BELOW, BELOW + 2);
    }
}

/* --- all of them --- */

/* The one that takes the most time; `count` if there is none. What is nested is part of others. */
static size_t longest_of(const struct keel_report_place *place, size_t count)
{
    size_t longest = count;

    for (size_t i = 0; i < count; i++) {
        if (!place[i].is_rest && !place[i].loop->nested && place[i].elapsed_s > 0 &&
            (longest == count || place[i].elapsed_s > place[longest].elapsed_s)) {
            longest = i;
        }
    }
    return longest;
}

/* Takes a place further to the front. */
static void bring(struct keel_report_place *place, size_t from, size_t to)
{
    const struct keel_report_place brought = place[from];

    memmove(place + to + 1, place + to, (from - to) * sizeof *place);
    place[to] = brought;
}

/* How many are shown of places that come by what they lose, at most `top`; 0: any number. Those of
 * which KEEL_EXPLAIN tells are among them, and the one that takes the most time: where they lose
 * little, they come last. */
static size_t shown_of(struct keel_report_place *place, size_t count, double least, bool all,
                       size_t top)
{
    const size_t most = top > 0 ? top : count;
    size_t shown = 0;

    while (shown < count && (all || place[shown].lost_s >= least || place[shown].gain_s > 0)) {
        shown++;
    }
    shown = shown < most ? shown : most;
    for (size_t i = shown; i < count && shown < most; i++) {
        if (!place[i].is_rest && known(place[i].loop->learned)[0] != '\0') {
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

static void print_rest(FILE *stream, const struct keel_report_place *place, size_t count,
                       const char *what, const char *hint)
{
    double lost_s = 0;

    for (size_t i = 0; i < count; i++) {
        lost_s += place[i].loop->nested ? 0 : place[i].lost_s;
    }
    if (count > 0) {
        fprintf(stream, "%8s  in %zu %s%s%s\n", keel_report_seconds(lost_s).text, count, what,
                count == 1 ? "" : "s", hint);
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
    struct keel_report_place *place = keel_report_places(job, &count);
    double least = SMALL_PART * (double)summary->threads * summary->elapsed_s;
    size_t shown = shown_of(place, count, least, all, top);

    if (shown > 0) {
        fputs(head, stream);
    }
    for (size_t i = 0; i < shown; i++) {
        print_figures(stream, &place[i], summary->elapsed_s);
        print_notes(stream, &place[i]);
        print_learned(stream, &place[i]);
    }
    if (count == 0) {
        fputs("  no parallel region or loop has come to Keel\n", stream);
    } else {
        print_rest(stream, place + shown, count - shown, shown > 0 ? "other" : "loop",
                   all ? "" : " (keel report --all shows them)");
    }
    if (left_out(job) > 0) {
        fprintf(stream, "  there was no room to record %s more place%s\n",
                keel_report_count(left_out(job)).text, left_out(job) == 1 ? "" : "s");
    }
    free(place);
}
