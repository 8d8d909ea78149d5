/* What traces hold, and what is said of those that are damaged. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/command/trace/trace.h"
#include "tests/support/wrapped.h"
#include "tests/support/unit.h"

#define FILES_MAX 3
#define PATH_BYTES 64

static struct keel_trace_data data;

static void write_file(char *path, const char *text, size_t size)
{
    strcpy(path, "/tmp/keel-trace-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Reads files with these texts into `data`. */
static bool read_texts(size_t count, const char *const *text)
{
    char names[FILES_MAX][PATH_BYTES], *path[FILES_MAX + 1] = {NULL};

    messages.count = 0;
    for (size_t i = 0; i < count; i++) {
        path[i] = names[i];
        write_file(path[i], text[i], strlen(text[i]));
    }
    bool good = keel_trace_reader_read(&data, path);
    for (size_t i = 0; i < count; i++) {
        unlink(path[i]);
    }
    return good;
}

static bool read_text(const char *text)
{
    return read_texts(1, &text);
}

/* Reads a whole trace of these events, the last one NULL. */
static bool read_events(const char *const *event)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);

    for (size_t i = 0; event[i] != NULL; i++) {
        fprintf(stream, "%s%s", i > 0 ? ",\n" : "[\n", event[i]);
    }
    fputs("\n]\n", stream);
    fclose(stream);
    bool good = read_text(text);
    free(text);
    return good;
}

#define READ(...) assert_true(read_events((const char *const[]){__VA_ARGS__, NULL}))

static int end(void **state)
{
    keel_trace_data_end(&data);
    return 0;
}

#define CHUNK(pid, tid, ts, dur, instance, first, last)                                   \
    "{\"name\":\"a.c:1\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":" pid ",\"tid\":" tid     \
    ",\"ts\":" ts ",\"dur\":" dur ",\"args\":{\"instance\":" instance ",\"first\":" first \
    ",\"last\":" last "}}"
#define SPAN(cat, name, ts, dur, args)                                                       \
    "{\"name\":\"" name "\",\"cat\":\"" cat "\",\"ph\":\"X\",\"pid\":0,\"tid\":0,\"ts\":" ts \
    ",\"dur\":" dur ",\"args\":{" args "}}"

static const char *name_at(uint32_t name)
{
    return keel_trace_data_text(&data, name);
}

/* --- events --- */

TEST_WITH(chunks_have_iterations_and_nanoseconds, NULL, end)
{
    READ(CHUNK("0", "1", "1000.250", "3.125", "7", "128", "160"),
         CHUNK("0", "1", "1010.001", "0.002", "8", "0", "1"));
    assert_int_equal(messages.count, 0);
    assert_int_equal(data.spans, 2);
    const struct keel_span *span = &data.span[0];
    assert_int_equal(span->kind, KEEL_SPAN_CHUNK);
    assert_string_equal(name_at(span->name), "a.c:1");
    assert_int_equal(span->start_ns, 0);
    assert_int_equal(span->length_ns, 3125);
    assert_int_equal(span->instance, 0);
    assert_int_equal(data.span[1].instance, 1);
    assert_int_equal(span->first, 128);
    assert_int_equal(span->last, 160);
    assert_true(span->work);
    assert_int_equal(data.span[1].start_ns, 9751);
    assert_int_equal(data.span[1].length_ns, 2);
    assert_int_equal(data.end_ns, 9753);
    assert_int_equal(data.lane[span->lane].tid, 1);
}

TEST_WITH(each_kind_of_event_has_its_own_arguments, NULL, end)
{
    const struct keel_span *span;

    READ(SPAN("region", "step", "0", "100", "\"instance\":3,\"threads\":4"),
         SPAN("loop", "a.c:1", "1", "50",
              "\"instance\":5,\"schedule\":\"fac2\",\"iterations\":900,\"threads\":4"),
         SPAN("wait", "wait", "51", "9", "\"at\":\"loop end\",\"loop\":\"a.c:1\""),
         SPAN("mpi", "MPI_Send", "62", "4", "\"place\":\"m.c:3\""),
         SPAN("move", "move", "70", "2",
              "\"what\":\"rows\",\"from\":2,\"to\":0,\"first\":10,\"last\":30,\"bytes\":4096"));
    assert_int_equal(data.spans, 5);
    span = &data.span[0];
    assert_int_equal(span->kind, KEEL_SPAN_REGION);
    assert_int_equal(span->instance, 0);
    assert_int_equal(span->amount, 4);
    assert_false(span->work);
    span = &data.span[1];
    assert_int_equal(span->kind, KEEL_SPAN_LOOP);
    assert_string_equal(name_at(span->text), "fac2");
    assert_int_equal(span->last, 900);
    assert_true(span->work); /* nothing is known in it */
    span = &data.span[2];
    assert_int_equal(span->kind, KEEL_SPAN_WAIT);
    assert_string_equal(name_at(span->text), "loop end");
    assert_string_equal(name_at(span->name), "a.c:1");
    span = &data.span[3];
    assert_int_equal(span->kind, KEEL_SPAN_CALL);
    assert_string_equal(name_at(span->name), "MPI_Send");
    assert_string_equal(name_at(span->text), "m.c:3");
    assert_false(span->work);
    span = &data.span[4];
    assert_int_equal(span->kind, KEEL_SPAN_MOVE);
    assert_string_equal(name_at(span->text), "rows");
    assert_int_equal(span->from, 2);
    assert_int_equal(span->first, 10);
    assert_int_equal(span->last, 30);
    assert_int_equal(span->amount, 4096);
}

/* Numbers of the process become numbers of each loop; ranks that share a loop have the same. */
TEST_WITH(instances_of_a_loop_are_numbered_by_themselves, NULL, end)
{
    uint64_t wanted[] = {0, 1, 0, 1};

    READ(CHUNK("0", "0", "1", "1", "7", "0", "1"), CHUNK("0", "1", "2", "1", "9", "0", "1"),
         CHUNK("1", "0", "3", "1", "3", "0", "1"), CHUNK("1", "0", "4", "1", "4", "0", "1"),
         "{\"name\":\"b.c:1\",\"cat\":\"chunk\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":5,"
         "\"dur\":1,\"args\":{\"instance\":8,\"first\":0,\"last\":1}}");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(data.span[i].instance, wanted[i]);
    }
    assert_int_equal(data.span[4].instance, 0);
}

TEST_WITH(what_a_trace_lacks_is_said, NULL, end)
{
    READ(
        CHUNK("0", "0", "1", "1", "7", "0", "1"),
        "{\"name\":\"left out\",\"cat\":\"trace\",\"ph\":\"i\",\"ts\":2,\"args\":{\"events\":12}}");
    assert_int_equal(messages.count, 1);
    assert_non_null(strstr(messages.last, "12 events were left out"));
}

TEST_WITH(threads_and_ranks_are_in_order_with_their_names, NULL, end)
{
    char label[KEEL_TRACE_LABEL_MAX];

    READ(CHUNK("0", "10", "4", "1", "0", "1", "2"), CHUNK("1", "0", "5", "1", "0", "0", "1"),
         CHUNK("0", "9", "3", "1", "0", "2", "3"),
         "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,"
         "\"args\":{\"name\":\"rank 1 on b: p\"}}",
         "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":0,\"tid\":10,"
         "\"args\":{\"name\":\"last\"}}");
    assert_int_equal(data.processes, 2);
    assert_int_equal(data.lanes, 3);
    assert_int_equal(data.lane[0].tid, 9);
    assert_int_equal(data.lane[1].tid, 10);
    assert_int_equal(data.lane[2].process, 1);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(data.lane[i].spans, 1);
        assert_int_equal(data.span[data.lane[i].first_span].lane, i);
    }
    assert_int_equal(data.span[data.lane[0].first_span].first, 2);
    keel_trace_label_process(&data, 0, label);
    assert_string_equal(label, "rank 0");
    keel_trace_label_process(&data, 1, label);
    assert_string_equal(label, "rank 1 on b: p");
    keel_trace_label_thread(&data, 0, label);
    assert_string_equal(label, "thread 9");
    keel_trace_label_thread(&data, 1, label);
    assert_string_equal(label, "last");
}

TEST_WITH(counters_and_decisions, NULL, end)
{
    READ(CHUNK("0", "0", "10", "1", "0", "0", "1"),
         "{\"name\":\"rate\",\"ph\":\"C\",\"id\":\"a.c:1\",\"pid\":0,\"tid\":0,\"ts\":20,"
         "\"args\":{\"rate\":2.5e6}}",
         "{\"name\":\"share\",\"ph\":\"C\",\"pid\":0,\"tid\":0,\"ts\":15,"
         "\"args\":{\"thread 0\":3,\"thread 1\":4}}",
         "{\"name\":\"gss\",\"cat\":\"decision\",\"ph\":\"i\",\"s\":\"t\",\"pid\":0,\"tid\":0,"
         "\"ts\":12,\"args\":{\"loop\":\"a.c:1\",\"gain\":0.5,\"reason\":\"why not\"}}");
    assert_int_equal(data.points, 3);
    assert_string_equal(name_at(data.point[0].counter), "share");
    assert_string_equal(name_at(data.point[0].series), "thread 0");
    assert_true(data.point[1].value == 4);
    assert_string_equal(name_at(data.point[2].series), "rate");
    assert_int_equal(data.point[2].time_ns, 10000);
    assert_string_equal(name_at(data.point[2].loop), "a.c:1");
    assert_int_equal(data.point[0].loop, KEEL_NAME_LIST_NONE);
    assert_int_equal(data.decisions, 1);
    assert_string_equal(name_at(data.decision[0].name), "gss");
    assert_non_null(strstr(name_at(data.decision[0].text), "\"reason\":\"why not\""));
    assert_int_equal(data.end_ns, 10000);
}

TEST_WITH(regions_within_chunks_have_levels, NULL, end)
{
    READ(SPAN("region", "outer", "0", "100", "\"instance\":0"),
         SPAN("chunk", "o.c:1", "1", "80", "\"first\":0,\"last\":1"),
         SPAN("region", "inner", "10", "30", "\"instance\":0"),
         SPAN("chunk", "i.c:1", "11", "20", "\"first\":0,\"last\":1"),
         SPAN("wait", "wait", "40", "5", "\"at\":\"region end\""));
    unsigned levels[] = {0, 0, 1, 1, 1};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(data.span[i].level, levels[i]);
    }
    assert_false(data.span[0].work);
    assert_false(data.span[2].work);
}

/* --- several files --- */

TEST_WITH(files_become_one_trace, NULL, end)
{
    char label[KEEL_TRACE_LABEL_MAX];

    assert_true(read_texts(
        3, (const char *const[]){"[\n" CHUNK("0", "0", "5", "1", "0", "0", "1") "\n]\n",
                                 "[\n" CHUNK("1", "0", "4", "1", "0", "1", "2") "\n]\n",
                                 "[\n" CHUNK("1", "0", "3", "1", "0", "2", "3") "\n]\n"}));
    assert_int_equal(data.processes, 3);
    assert_int_equal(data.lanes, 3);
    assert_int_equal(data.end_ns, 3000);
    keel_trace_label_process(&data, 0, label);
    assert_string_equal(label, "rank 0");
    keel_trace_label_process(&data, 2, label);
    assert_string_equal(label, "rank 1, file 3");
}

#define HEAD(boot, epoch)                                                                          \
    "[\n{\"name\":\"keel_trace\",\"ph\":\"M\",\"args\":{\"boot\":\"" boot "\",\"epoch_us\":" epoch \
    "}},\n"

TEST_WITH(files_of_other_machines_are_moved_to_one_clock, NULL, end)
{
    assert_true(read_texts(
        3, (const char *const[]){
               HEAD("a", "1700000000000000") CHUNK("0", "0", "1000", "1", "0", "0", "1") "\n]\n",
               HEAD("b", "1700000000000600") CHUNK("1", "0", "500", "1", "0", "1", "2") "\n]\n",
               HEAD("a", "1700000000000003") CHUNK("2", "0", "1040", "1", "0", "2", "3") "\n]\n"}));
    assert_int_equal(data.span[data.lane[0].first_span].start_ns, 0);
    assert_int_equal(data.span[data.lane[1].first_span].start_ns, 100000);
    assert_int_equal(data.span[data.lane[2].first_span].start_ns, 40000);
}

#define RANK_HEAD(job, boot, epoch)                                     \
    "[\n{\"name\":\"keel_trace\",\"ph\":\"M\",\"args\":{\"job\":\"" job \
    "\",\"program\":\"p\",\"clock\":\"rank 0\",\"boot\":\"" boot "\",\"epoch_us\":" epoch "}},\n"

/* On nodes whose times of day differ, all on the clock of rank 0; one is of an earlier job. */
TEST_WITH(files_of_ranks_are_read_for_the_whole, NULL, end)
{
    static const struct {
        const char *ending, *text;
    } files[] = {
        {".0", RANK_HEAD("j", "a", "1700000000000000") CHUNK("0", "0", "1000", "1", "0", "0", "1")},
        {".10",
         RANK_HEAD("j", "b", "1700000000000600") CHUNK("10", "0", "1040", "1", "0", "1", "2")},
        {".11", RANK_HEAD("i", "a", "1700000000000000") CHUNK("11", "0", "1", "1", "0", "1", "2")},
        {".x", "no trace"},
    };
    char path[PATH_BYTES], name[PATH_BYTES + 8], *paths[] = {path, NULL};

    messages.count = 0;
    write_file(path, "", 0);
    unlink(path);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s%s", path, files[i].ending);
        FILE *file = fopen(name, "w");
        fprintf(file, "%s\n]\n", files[i].text);
        fclose(file);
    }
    assert_true(keel_trace_reader_read(&data, paths));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(name, sizeof name, "%s%s", path, files[i].ending);
        unlink(name);
    }
    assert_int_equal(messages.count, 0);
    assert_int_equal(data.processes, 2);
    assert_int_equal(data.process[1].pid, 10);
    assert_int_equal(data.span[data.lane[0].first_span].start_ns, 0);
    assert_int_equal(data.span[data.lane[1].first_span].start_ns, 40000);
}

/* --- damaged files --- */

#define GOOD CHUNK("0", "0", "5", "1", "0", "0", "1")

TEST(a_trace_is_read_wherever_it_is_cut_off)
{
    const char *text = "[\n" GOOD ",\n" GOOD ",\n" GOOD "\n]\n";
    size_t one = strlen("[\n" GOOD);

    for (size_t length = one; length <= strlen(text); length++) {
        char *cut = strndup(text, length);
        assert_true(read_text(cut));
        size_t whole = (length - 2 + 2) / (strlen(GOOD) + 2);
        assert_in_range(data.spans, whole > 0 ? whole : 1, whole + 1);
        assert_in_range(messages.count, 0, 1);
        if (messages.count == 1) {
            assert_non_null(strstr(messages.last, "ends within line"));
        }
        free(cut);
        keel_trace_data_end(&data);
    }
}

TEST(lines_without_events_are_left_out_and_counted)
{
    allow_exceptions();
    static const char *const bad[] = {
        "nonsense",
        "{\"name\":\"x\"",
        "42",
        "[1,2]",
        "{\"ph\":\"X\",\"cat\":\"chunk\",\"name\":\"x\",\"ts\":\"1\",\"dur\":1}",
        "{\"ph\":\"X\",\"cat\":\"chunk\",\"name\":\"x\",\"ts\":1,\"dur\":-1}",
        "{\"ph\":\"X\",\"cat\":\"chunk\",\"name\":\"x\",\"ts\":1e300,\"dur\":1}",
        "{\"ph\":\"X\",\"cat\":\"chunk\",\"name\":\"x\",\"ts\":1,\"dur\":1e999}",
        "{\"ph\":\"X\",\"cat\":\"chunk\",\"name\":\"\xff\xfe\",\"ts\":1,\"dur\":1}",
        "{\"ph\":1}",
    };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[1000];
        snprintf(text, sizeof text, "[\n" GOOD ",\n%s,\n" GOOD "\n]\n", bad[i]);
        assert_true(read_text(text));
        assert_int_equal(data.spans, 2);
        assert_int_equal(messages.count, 1);
        assert_non_null(strstr(messages.last, "line 3: not an event of a trace; 1 such line is"));
        keel_trace_data_end(&data);
    }
}

TEST_WITH(other_events_are_passed_over, NULL, end)
{
    READ(GOOD, "{\"ph\":\"X\",\"cat\":\"gpu\",\"name\":\"k\",\"ts\":1,\"dur\":1}",
         "{\"ph\":\"b\",\"name\":\"k\",\"ts\":1}", "{\"ph\":\"M\",\"name\":\"process_labels\"}");
    assert_int_equal(messages.count, 0);
    assert_int_equal(data.spans, 1);
}

TEST_WITH(what_is_no_trace_is_refused, NULL, end)
{
    static const char *const text[] = {
        "",       "\n",
        "[\n]\n", "hello world\n",
        "{}\n",   "loop,instance,thread,first,last,time_ns\na.c:1,0,0,0,10,5\n"};

    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        assert_false(read_text(text[i]));
        assert_int_equal(messages.count, 1);
        assert_non_null(strstr(messages.last, "holds no trace of loops"));
        keel_trace_data_end(&data);
    }
    char path[] = "/nowhere/trace.json", *paths[] = {path, NULL};
    messages.count = 0;
    assert_false(keel_trace_reader_read(&data, paths));
    assert_string_equal(messages.last,
                        "'/nowhere/trace.json' cannot be read: No such file or directory");
}
