/* keel plot --kind gantt: what each thread did from when to when. */
#include <stdlib.h>

#include "omp_ext/command/plot/bars.h"
#include "omp_ext/command/plot/kind.h"
#include "omp_ext/command/plot/script.h"
#include "omp_ext/support/message.h"

#define LANE_HEIGHT 26
#define HEIGHT_MIN 240
#define HEIGHT_MAX 2400
#define LABELS_MAX 64
#define LABEL_MAX 128 /* bytes */
#define COLUMNS_MAX 1000
#define RECTANGLES_MAX 200000 /* of all threads; more have coarser columns */
#define WIDE 4                /* pixels from which on chunks are told apart */
#define BAR_HEIGHT 0.8        /* of a thread's part of the height */

struct drawing {
    const struct keel_extract *extract;
    FILE *script;
    size_t lane;
    uint32_t loop[KEEL_SCRIPT_COLOURS]; /* that have colours of their own, most work first */
    size_t loops;
    bool others;
    enum {
        WORK,
        CHUNKS,
        WAITS
    } what; /* that is printed: CHUNKS are bars wide enough for a border */
    double wide_ns, unit_ns;
};

/* --- colours --- */

static double *work_of(const struct keel_extract *extract)
{
    const struct keel_trace_data *data = extract->data;
    double *work_ns = calloc(data->names.count + 1, sizeof *work_ns);

    for (size_t i = 0; work_ns != NULL && i < data->spans; i++) {
        const struct keel_span *span = &data->span[i];
        if (span->work && keel_extract_has(extract, span)) {
            work_ns[span->name] += (double)span->length_ns + 1e-3;
        }
    }
    return work_ns;
}

/* False: there is no memory. */
static bool choose_loops(struct drawing *drawing)
{
    double *work_ns = work_of(drawing->extract);
    uint32_t names = drawing->extract->data->names.count;

    while (work_ns != NULL && drawing->loops < KEEL_SCRIPT_COLOURS) {
        uint32_t most = 0;
        for (uint32_t i = 1; i < names; i++) {
            most = work_ns[i] > work_ns[most] ? i : most;
        }
        if (names == 0 || work_ns[most] <= 0) {
            break;
        }
        drawing->loop[drawing->loops++] = most;
        work_ns[most] = 0;
    }
    for (uint32_t i = 0; work_ns != NULL && i < names; i++) {
        drawing->others |= work_ns[i] > 0;
    }
    free(work_ns);
    return work_ns != NULL;
}

static unsigned colour_of(const struct drawing *drawing, uint32_t name)
{
    for (size_t i = 0; i < drawing->loops; i++) {
        if (drawing->loop[i] == name) {
            return keel_script_colour(i);
        }
    }
    return KEEL_SCRIPT_OTHER;
}

/* --- data --- */

static bool is_wide(const struct drawing *drawing, const struct keel_bar *bar)
{
    return bar->exact && bar->work > 0 && bar->to_ns - bar->from_ns >= drawing->wide_ns;
}

/* x y xlow xhigh ylow yhigh colour; work stands at the bottom of the bar, waits above it. */
static void print_bar(void *context, const struct keel_bar *bar)
{
    const struct drawing *drawing = context;
    double unit_ns = drawing->unit_ns;
    double low = (double)drawing->lane + BAR_HEIGHT / 2;
    double from = drawing->what == WAITS ? low - BAR_HEIGHT * bar->work : low;
    double to = from - BAR_HEIGHT * (drawing->what == WAITS ? bar->wait : bar->work);

    if (from != to &&
        (drawing->what == WAITS || (drawing->what == CHUNKS) == is_wide(drawing, bar))) {
        fprintf(drawing->script, "%.9g %.6g %.9g %.9g %.6g %.6g %u\n", bar->from_ns / unit_ns, from,
                bar->from_ns / unit_ns, bar->to_ns / unit_ns, from, to,
                colour_of(drawing, bar->name));
    }
}

static void print_data(struct drawing *drawing)
{
    static const char *const names[] = {[WORK] = "work", [CHUNKS] = "chunks", [WAITS] = "waits"};
    const struct keel_trace_data *data = drawing->extract->data;
    unsigned columns = (unsigned)(RECTANGLES_MAX / (data->lanes + 1)) + 50;

    fprintf(drawing->script, "$%s << END\n", names[drawing->what]);
    for (drawing->lane = 0; drawing->lane < data->lanes; drawing->lane++) {
        keel_bars_of(drawing->extract, &data->lane[drawing->lane],
                     columns < COLUMNS_MAX ? columns : COLUMNS_MAX, print_bar, drawing);
    }
    /* gnuplot refuses blocks without points. */
    fprintf(drawing->script, "NaN NaN NaN NaN NaN NaN 0\nEND\n");
}

/* --- axes --- */

static void print_axes(const struct drawing *drawing)
{
    const struct keel_extract *extract = drawing->extract;
    size_t lanes = extract->data->lanes, every = (lanes + LABELS_MAX - 1) / LABELS_MAX;
    char text[LABEL_MAX];

    fprintf(drawing->script,
            "set xrange [%.12g:%.12g]\nset yrange [%zu.6:-0.6]\nset ytics () scale 0\n",
            (double)extract->from_ns / drawing->unit_ns, (double)extract->to_ns / drawing->unit_ns,
            lanes - 1);
    for (size_t i = 0; i < lanes; i += every) {
        keel_script_thread(extract->data, (uint32_t)i, text, sizeof text);
        fprintf(drawing->script, "set ytics add (");
        keel_script_quoted(drawing->script, text);
        fprintf(drawing->script, " %zu)\n", i);
    }
}

static void print_key(const struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->loops; i++) {
        fprintf(drawing->script, ", keyentry with boxes fs solid 1 noborder lc rgb %u title ",
                keel_script_colour(i));
        keel_script_quoted(drawing->script,
                           keel_trace_data_text(drawing->extract->data, drawing->loop[i]));
    }
    if (drawing->others) {
        fprintf(drawing->script,
                ", keyentry with boxes fs solid 1 noborder lc rgb %u title 'other loops'",
                KEEL_SCRIPT_OTHER);
    }
    fprintf(drawing->script,
            ", keyentry with boxes fs pattern 4 lc rgb '#6b7280' title 'waiting'\n");
}

static bool draw(const struct keel_extract *extract, FILE *script)
{
    struct drawing drawing = {.extract = extract, .script = script};

    if (!choose_loops(&drawing)) {
        keel_message("there is not enough memory for a picture");
        return false;
    }
    drawing.unit_ns = keel_script_time(script, extract->to_ns - extract->from_ns);
    print_axes(&drawing);
    fprintf(script,
            "set grid x\nset tics nomirror\nset key outside top center horizontal\nset border 3\n");
    drawing.wide_ns = WIDE * (double)(extract->to_ns - extract->from_ns) / KEEL_PLOT_WIDTH;
    for (drawing.what = WORK; drawing.what <= WAITS; drawing.what++) {
        print_data(&drawing);
    }
    fprintf(
        script,
        "plot $waits using 1:2:3:4:5:6 with boxxyerror fs pattern 4 noborder lc rgb '#6b7280' "
        "notitle, $work using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 noborder lc rgb variable "
        "notitle, $chunks using 1:2:3:4:5:6:7 with boxxyerror fs solid 1 border lc rgb 'white' "
        "lw 0.4 lc rgb variable notitle");
    print_key(&drawing);
    return true;
}

static unsigned height(const struct keel_extract *extract)
{
    size_t pixels = 150 + LANE_HEIGHT * extract->data->lanes;

    return pixels < HEIGHT_MIN ? HEIGHT_MIN : pixels > HEIGHT_MAX ? HEIGHT_MAX : (unsigned)pixels;
}

const struct keel_plot_kind keel_plot_gantt = {
    .name = "gantt",
    .needs_time = true,
    .height = height,
    .draw = draw,
};
