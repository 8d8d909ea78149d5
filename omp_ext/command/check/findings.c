/* Which loops make results differ: the loops of the program, and the search among them. */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_ext/command/check/check_command.h"
#include "omp_ext/command/parts/command_parts.h"
#include "schedules/text/text.h"

#define SETS_MAX 8      /* that are looked for */
#define CONFIRMATIONS 5 /* runs that show how often a set differs */
#define RUNS_MIN 4      /* per question */

/* --- the report of loops --- */

/* Lines "WORD TAB name [TAB more]"; each may come several times, from several processes. */
struct line {
    const char *word;
    char *name;
    char *more; /* ""; without one */
};

static bool split(char *text, struct line *line)
{
    char *rest = text;

    text[strcspn(text, "\n")] = '\0';
    line->word = strsep(&rest, "\t");
    line->name = strsep(&rest, "\t");
    line->more = rest != NULL ? rest : text + strlen(text);
    return line->name != NULL;
}

/* --- sets of names --- */

static int by_place(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static size_t find(char *const *name, size_t count, const char *wanted)
{
    size_t place = 0;

    while (place < count && strcmp(name[place], wanted) != 0) {
        place++;
    }
    return place;
}

static void add(char ***name, size_t *count, const char *new)
{
    if (find(*name, *count, new) == *count) {
        *name = keel_command_room(*name, *count, sizeof **name);
        (*name)[(*count)++] = keel_command_text("%s", new);
    }
}

/* --- passes over the report --- */

typedef void visitor(struct keel_loops *loops, const struct line *line);

static void each_line(const char *path, visitor *visit, struct keel_loops *loops)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    struct line line;

    while (file != NULL && getline(&text, &size, file) > 0) {
        if (split(text, &line)) {
            visit(loops, &line);
        }
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
}

static void take_names(struct keel_loops *loops, const struct line *line)
{
    if (strcmp(line->word, "loop") == 0) {
        uint64_t threads = 0;
        if (keel_number_whole(line->more, 1, UINT32_MAX, &threads) && threads > loops->threads) {
            loops->threads = (unsigned)threads;
        }
        add(&loops->name, &loops->count, line->name);
    } else if (strcmp(line->word, "region") == 0) {
        add(&loops->region, &loops->regions, line->name);
    }
}

static void add_open_end(struct keel_loops *loops, struct keel_open_end end)
{
    for (size_t i = 0; i < loops->open_ends; i++) {
        if (loops->open_end[i].before == end.before && loops->open_end[i].after == end.after) {
            return;
        }
    }
    loops->open_end = keel_command_room(loops->open_end, loops->open_ends, sizeof *loops->open_end);
    loops->open_end[loops->open_ends++] = end;
}

static void take_relations(struct keel_loops *loops, const struct line *line)
{
    if (strcmp(line->word, "after") == 0) {
        struct keel_open_end end = {find(loops->name, loops->count, line->name),
                                    find(loops->name, loops->count, line->more)};
        if (end.before < loops->count && end.after < loops->count) {
            add_open_end(loops, end);
        }
    } else if (strcmp(line->word, "reached") == 0) {
        size_t place = find(loops->region, loops->unreached, line->name);
        if (place < loops->unreached) {
            char *last = loops->region[--loops->unreached];
            loops->region[loops->unreached] = loops->region[place];
            loops->region[place] = last;
        }
    }
}

static void sort(char **name, size_t count)
{
    if (count > 0) {
        qsort(name, count, sizeof *name, by_place);
    }
}

void keel_loops_read(const char *path, struct keel_loops *loops)
{
    *loops = (struct keel_loops){0};
    each_line(path, take_names, loops);
    sort(loops->name, loops->count);
    loops->unreached = loops->regions;
    each_line(path, take_relations, loops);
    sort(loops->region, loops->unreached);
}

/* --- delta debugging: keep a part, or leave a part out, of parts that become smaller --- */

struct search {
    size_t *member;
    size_t count;
    size_t *trial;
    keel_delta_debug_question *differs;
    bool (*stop)(void *context);
    void *context;
};

static bool stops(const struct search *search)
{
    return search->stop != NULL && search->stop(search->context);
}

/* Makes the first of the parts, or of what is left without one, that differs the set. */
static bool reduce(struct search *search, size_t parts, bool all_but)
{
    for (size_t part = 0; part < parts && !stops(search); part++) {
        size_t low = search->count * part / parts, high = search->count * (part + 1) / parts;
        size_t count = 0;
        for (size_t i = 0; i < search->count; i++) {
            if ((i >= low && i < high) != all_but) {
                search->trial[count++] = search->member[i];
            }
        }
        if (search->differs(search->trial, count, search->context)) {
            memcpy(search->member, search->trial, count * sizeof *search->member);
            search->count = count;
            return true;
        }
    }
    return false;
}

bool keel_delta_debug(size_t *member, size_t *count, keel_delta_debug_question *differs,
                      bool (*stop)(void *context), void *context)
{
    struct search search = {.member = member,
                            .count = *count,
                            .trial = keel_command_memory(*count, sizeof *member),
                            .differs = differs,
                            .stop = stop,
                            .context = context};
    size_t parts = 2;

    while (search.count > 1 && !stops(&search)) {
        if (reduce(&search, parts, false)) {
            parts = 2;
        } else if (parts > 2 && reduce(&search, parts, true)) {
            parts--;
        } else if (parts >= search.count) {
            break;
        } else {
            parts = 2 * parts < search.count ? 2 * parts : search.count;
        }
    }
    *count = search.count;
    free(search.trial);
    return search.count <= 1 || !stops(&search);
}

/* --- which of them matter --- */

struct narrowing {
    struct keel_check *check;
    unsigned runs;  /* per question: so many without a difference count as none */
    unsigned found; /* sets */
};

/* How often it differs. */
struct count {
    unsigned differing, total;
};

/* --- runs with some loops --- */

static uint64_t seed_of(struct keel_check *check, unsigned run)
{
    unsigned known =
        check->differing < KEEL_CHECK_SEEDS_MAX ? check->differing : KEEL_CHECK_SEEDS_MAX;

    return run < known ? check->seed[run] : check->options.seed + check->total + run - known;
}

/* Runs up to `total` times, to the first difference or all. barrier: as in keel_run_setting. */
static struct count try_loops(struct keel_check *check, const size_t *member, size_t members,
                              const size_t *barrier, unsigned total, bool all)
{
    struct count count = {0};

    while (count.total < total && (all || count.differing == 0) && !keel_runs_over(check)) {
        struct keel_outcome outcome = keel_runs_do(check, &(struct keel_run_setting){
                                                              .checked = true,
                                                              .seed = seed_of(check, count.total),
                                                              .others_serial = check->others_serial,
                                                              .loops = &check->loops,
                                                              .active = member,
                                                              .active_count = members,
                                                              .barrier = barrier,
                                                          });
        if (outcome.kind == KEEL_OUTCOME_NOT_BEGUN) {
            break;
        }
        count.total++;
        count.differing += outcome.kind != KEEL_OUTCOME_SAME;
    }
    return count;
}

static bool differs(const size_t *member, size_t count, void *context)
{
    const struct narrowing *narrowing = context;

    return try_loops(narrowing->check, member, count, NULL, narrowing->runs, false).differing > 0;
}

static bool over(void *context)
{
    return keel_runs_over(((const struct narrowing *)context)->check);
}

/* So many that a loop which differs as often as all together did, or half as often, is missed once
 * in 50 times: (1 - f)^n = 1/50. */
static unsigned runs_per_question(struct keel_check *check)
{
    double f = 0.5 * check->differing / check->total;
    double wanted = ceil(log(0.02) / log1p(-f));

    return wanted < RUNS_MIN                 ? RUNS_MIN
           : wanted > 3 * check->random_runs ? 3 * check->random_runs
                                             : (unsigned)wanted;
}

/* --- printing --- */

static void print_names(const struct keel_loops *loops, const size_t *member, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s%s",
               i == 0          ? ""
               : i + 1 < count ? ", "
                               : " and ",
               keel_loops_name(loops, member[i]));
    }
}

/* What a barrier at the end of `open` does for the set. */
static void tell_of_barrier(const struct narrowing *narrowing, const size_t *member, size_t count,
                            const size_t *open)
{
    struct count still = try_loops(narrowing->check, member, count, open, narrowing->runs, true);

    if (still.total > 0) {
        printf("; with a barrier there, %u of %u differ", still.differing, still.total);
    }
}

/* Loops that may run at the same time as the one that was found. */
static void tell_of_neighbours(const struct narrowing *narrowing, const size_t *member,
                               size_t count)
{
    const struct keel_loops *loops = &narrowing->check->loops;

    for (size_t i = 0; i < loops->open_ends; i++) {
        const struct keel_open_end *end = &loops->open_end[i];
        if (end->after == member[0]) {
            printf(";\n  the loop before it, %s, has no barrier at its end",
                   loops->name[end->before]);
            tell_of_barrier(narrowing, member, count, &end->before);
        } else if (end->before == member[0]) {
            printf(";\n  it has no barrier at its end, and the loop after it is %s",
                   loops->name[end->after]);
            tell_of_barrier(narrowing, member, count, &end->before);
        }
    }
}

static void tell_set(const struct narrowing *narrowing, const size_t *member, size_t count,
                     bool minimal)
{
    struct count often = try_loops(narrowing->check, member, count, NULL, CONFIRMATIONS, true);

    if (often.differing == 0) {
        struct count more =
            try_loops(narrowing->check, member, count, NULL, narrowing->runs, false);
        often.differing += more.differing, often.total += more.total;
    }
    if (often.differing == 0) {
        printf("not certain: a difference was seen with ");
        print_names(&narrowing->check->loops, member, count);
        printf(", and in none of %u more runs\n", often.total);
        return;
    }
    bool region = count == 1 && member[0] >= narrowing->check->loops.count;

    printf("results differ when %s", region ? "threads come late to " : "");
    print_names(&narrowing->check->loops, member, count);
    printf("%s", region ? "" : count == 1 ? " is scheduled" : " are scheduled");
    if (often.total > 0) {
        printf(" (%u of %u more runs)", often.differing, often.total);
    }
    if (count == 1) {
        tell_of_neighbours(narrowing, member, count);
    } else {
        printf("%s", minimal ? ", and not when one of them is left out"
                             : "; there was no time to find out which of them matter");
    }
    printf("\n");
    fflush(stdout);
}

/* --- the search --- */

/* Takes the members of `set` out of `rest`. */
static size_t without(size_t *rest, size_t count, const size_t *set, size_t members)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t j = 0; j < members; j++) {
            found |= rest[i] == set[j];
        }
        if (!found) {
            rest[kept++] = rest[i];
        }
    }
    return kept;
}

/* Finds one set after the other among `count` members in `rest`, each without those before; returns
 * how many are left. `set` has as much room. */
static size_t find_sets(struct narrowing *narrowing, size_t *rest, size_t *set, size_t count)
{
    for (unsigned i = 0; i < SETS_MAX && count > 0 && differs(rest, count, narrowing); i++) {
        size_t members = count;
        memcpy(set, rest, count * sizeof *set);
        bool minimal = keel_delta_debug(set, &members, differs, over, narrowing);
        tell_set(narrowing, set, members, minimal);
        count = without(rest, count, set, members);
        narrowing->found++;
    }
    return count;
}

/* Where there was no time, or a signal has come, for the loops `rest`. */
static void tell_not_looked_at(const struct narrowing *narrowing, const size_t *rest, size_t count)
{
    printf("%s", keel_group_run_signal() != 0 ? "not looked at: "
                                              : "the time is used up (--budget); not looked at: ");
    print_names(&narrowing->check->loops, rest, count);
    printf("\n");
}

/* Numbers `from` to before `to` into `member`; how many. */
static size_t fill(size_t *member, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        member[i - from] = i;
    }
    return to - from;
}

/* Loops first; then regions to which threads come late, a race that no schedule causes; then, if
 * nothing differs by itself, all together. */
static void narrow_down(struct narrowing *narrowing, size_t *rest, size_t *set)
{
    size_t loops = narrowing->check->loops.count;
    size_t all = loops + narrowing->check->loops.regions;

    size_t left = find_sets(narrowing, rest, set, fill(rest, 0, loops));
    if (over(narrowing) && left > 0) {
        tell_not_looked_at(narrowing, rest, left);
        return;
    }
    left = find_sets(narrowing, rest, set, fill(rest, loops, all));
    if (narrowing->found == 0 && !over(narrowing)) {
        left = find_sets(narrowing, rest, set, fill(rest, 0, all));
    }
    if (over(narrowing) && left > 0) {
        tell_not_looked_at(narrowing, rest, left);
    } else if (narrowing->found == 0) {
        printf("no loop could be found that makes the difference again\n");
    }
}

void keel_findings_print(struct keel_check *check)
{
    struct narrowing narrowing = {.check = check, .runs = runs_per_question(check)};
    size_t all = check->loops.count + check->loops.regions;
    size_t *rest = keel_command_memory(all, sizeof *rest);
    size_t *set = keel_command_memory(all, sizeof *set);
    struct count none = try_loops(check, rest, 0, NULL, CONFIRMATIONS, true);

    if (none.differing > 0) {
        printf("no loop is named: %u of %u runs in which all loops were static differ, too\n",
               none.differing, none.total);
    } else {
        narrow_down(&narrowing, rest, set);
    }
}
