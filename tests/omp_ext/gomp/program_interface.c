/* Keel's interface for programs: what each call returns, and that calls that fail change
 * nothing. Run with nothing asked for in the environment or, as `interface overruled`, with
 * KEEL_SCHEDULE=gss. */
#include <math.h>

#include "tests/support/schedules.h"

static int (*get_schedule)(char *, size_t);
static const char *(*problem)(void);
static const char *(*version)(void);
static void (*get_version)(int *, int *);

static int set(const char *schedule)
{
    return find_set_schedule()(schedule);
}

static void expect_schedule(const char *wanted)
{
    char text[300];

    get_schedule(text, sizeof text);
    CHECK(strcmp(text, wanted) == 0, "the schedule is '%s', wanted '%s'", text, wanted);
}

static void expect_problem(const char *wanted)
{
    CHECK(strcmp(problem(), wanted) == 0, "the problem is '%s', wanted '%s'", problem(), wanted);
}

static void results(void)
{
    int major = -1, minor = -1;

    CHECK(strcmp(version(), KEEL_VERSION) == 0, "version %s", version());
    get_version(&major, &minor);
    CHECK(major == KEEL_VERSION_MAJOR && minor == KEEL_VERSION_MINOR, "version %d.%d", major,
          minor);
    expect_schedule("libgomp");
    CHECK(set("fac2,16") == KEEL_OK, "a schedule is refused");
    expect_schedule("fac2,16");
    expect_problem("");
    CHECK(set("fca2") == KEEL_UNREADABLE, "an unknown schedule is taken");
    expect_problem("unknown schedule 'fca2', nearest is 'fac2'");
    expect_schedule("fac2,16");
    CHECK(set("") == KEEL_UNREADABLE, "an empty schedule is taken");
    CHECK(set("gss; f=tss") == KEEL_UNREADABLE, "a rule is taken");
    expect_schedule("fac2,16");
    CHECK(set(" GSS , 3 ") == KEEL_OK, "blanks and capitals are refused");
    expect_schedule("gss,3");
    expect_problem("");
    CHECK(set("dynamic,4") == KEEL_OK, "an alias is refused");
    expect_schedule("css,4");
    CHECK(set("libgomp") == KEEL_OK, "libgomp is refused");
    expect_schedule("libgomp");
    CHECK(set(NULL) == KEEL_OK, "taking it back is refused");
    expect_schedule("libgomp");
}

/* snprintf's contract. */
static void cut_texts(void)
{
    const char *whole = "fac:mu=1.5,sigma=30";
    int length = (int)strlen(whole);

    CHECK(set(whole) == KEEL_OK, "%s is refused: %s", whole, problem());
    CHECK(get_schedule(NULL, 0) == length, "length %d without room", get_schedule(NULL, 0));
    for (int size = 0; size <= length + 2; size++) {
        char text[40];
        memset(text, '#', sizeof text);
        CHECK(get_schedule(text, (size_t)size) == length, "another length with size %d", size);
        int kept = size == 0 ? 0 : size <= length ? size - 1 : length;
        CHECK(memcmp(text, whole, (size_t)kept) == 0, "size %d gives '%.*s'", size, kept, text);
        CHECK(size == 0 || text[kept] == '\0', "no end at %d with size %d", kept, size);
        CHECK(text[size] == '#', "byte %d is written with size %d", size, size);
    }
}

static void loop(void)
{
    struct marks marks = marks_of(50);

    MARKED_LOOP("omp parallel for schedule(runtime) num_threads(3)", marks, int, 50)
    marks_end(&marks, "loop");
}

static void costs(void)
{
    const double none[] = {-INFINITY, NAN, INFINITY};
    double good[50] = {0, 1, 1e300}, wrong[50] = {1, 1, -1e-9};

    CHECK(set_costs(good, 50) == KEEL_OK, "costs are refused: %s", problem());
    expect_problem("");
    loop();
    CHECK(set_costs(wrong, 50) == KEEL_UNREADABLE, "a negative cost is taken");
    expect_problem("cost '-1e-09' of iteration 2, counted from 0, is not a finite number of at "
                   "least 0");
    for (unsigned i = 0; i < COUNT(none); i++) {
        wrong[2] = none[i];
        CHECK(set_costs(wrong, 50) == KEEL_UNREADABLE, "a cost of %g is taken", none[i]);
    }
    CHECK(set_costs(good, 49) == KEEL_OK, "other costs are refused: %s", problem());
    expect_problem("");
    loop();
    CHECK(set_costs(NULL, 50) == KEEL_OK, "taking costs back is refused: %s", problem());
    loop();
}

/* There is room for 1024 different schedules; the ones that are known stay usable. */
static void no_room(void)
{
    unsigned refused = 0;
    char text[40];

    for (unsigned k = 1; k <= 1100; k++) {
        snprintf(text, sizeof text, "css,%u", k);
        int result = set(text);
        CHECK(result == KEEL_OK || (result == KEEL_NO_ROOM && k > 1000), "%s is %d", text, result);
        refused += result == KEEL_NO_ROOM;
        if (k % 50 == 0) {
            loop();
        }
    }
    CHECK(refused >= 1100 - 1024, "%u schedules are refused", refused);
    expect_problem("no room for another schedule");
    snprintf(text, sizeof text, "css,%u", 1100 - refused);
    expect_schedule(text);
    CHECK(set("css,7") == KEEL_OK, "a known schedule is refused");
    expect_schedule("css,7");
    CHECK(set("css,7:min=9") == KEEL_NO_ROOM, "a new schedule is taken");
    loop();
}

static void overruled(void)
{
    expect_schedule("gss");
    CHECK(set("fac2") == KEEL_OVERRULED, "keel_set_schedule is %d", set("fac2"));
    expect_schedule("gss");
    omp_set_schedule(omp_sched_dynamic, 2);
    expect_schedule("gss");
    CHECK(set("fca2") == KEEL_UNREADABLE, "an unknown schedule is taken");
    CHECK(set(NULL) == KEEL_OK, "taking it back is %d", set(NULL));
    loop();
}

int main(int argc, char **argv)
{
    get_schedule = (int (*)(char *, size_t))find_function("keel_get_schedule");
    problem = (const char *(*)(void))find_function("keel_problem");
    version = (const char *(*)(void))find_function("keel_version");
    get_version = (void (*)(int *, int *))find_function("keel_get_version");
    if (argc > 1 && strcmp(argv[1], "overruled") == 0) {
        overruled();
    } else {
        results();
        cut_texts();
        costs();
        no_room();
    }
    return check_status();
}
