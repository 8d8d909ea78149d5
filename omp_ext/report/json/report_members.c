/* Fields and their names. */
#include "omp_ext/report/json/report_json.h"

#include "omp_ext/report/report_figures.h"

#define FIELD(structure, kind, field)                                                        \
    {                                                                                        \
        .name = #field, .type = KEEL_REPORT_##kind, .at = offsetof(struct structure, field), \
    }

#define ARRAY(structure, kind, field, count, of)                                             \
    {                                                                                        \
        .name = #field, .type = KEEL_REPORT_##kind, .at = offsetof(struct structure, field), \
        .count_at = offsetof(struct structure, count), .object = of,                         \
    }

#define OBJECT(structure, field, of)                                                         \
    {                                                                                        \
        .name = #field, .type = KEEL_REPORT_OBJECT, .at = offsetof(struct structure, field), \
        .object = of,                                                                        \
    }

#define OBJECT_OF(structure, members)                                                  \
    {                                                                                  \
        .size = sizeof(struct structure), .count = sizeof members / sizeof members[0], \
        .member = members,                                                             \
    }

/* --- loops --- */

static const struct keel_report_member of_thread[] = {
    FIELD(keel_report_thread, TIME, busy_s),     FIELD(keel_report_thread, TIME, waited_s),
    FIELD(keel_report_thread, TIME, claiming_s), FIELD(keel_report_thread, COUNT, iterations),
    FIELD(keel_report_thread, COUNT, chunks),
};
static const struct keel_report_object thread = OBJECT_OF(keel_report_thread, of_thread);

static const struct keel_report_member of_measured[] = {
    FIELD(keel_report_measured, TIME, iteration_s),
    FIELD(keel_report_measured, TIME, deviation_s),
    FIELD(keel_report_measured, TIME, claim_s),
    ARRAY(keel_report_measured, TIMES, costs, cost_count, NULL),
    ARRAY(keel_report_measured, TIMES, speeds, speed_count, NULL),
};
static const struct keel_report_object measured = OBJECT_OF(keel_report_measured, of_measured);

/* As in enum keel_report_kind. */
static const char *const kinds[] = {"region", "loop", "part", NULL};

static const struct keel_report_member of_loop[] = {
    {
        .name = "kind",
        .type = KEEL_REPORT_NAME,
        .at = offsetof(struct keel_report_loop, kind),
        .names = kinds,
    },
    FIELD(keel_report_loop, TEXT, function),
    FIELD(keel_report_loop, TEXT, file),
    FIELD(keel_report_loop, NUMBER, line),
    FIELD(keel_report_loop, TEXT, place),
    FIELD(keel_report_loop, TEXT, address),
    FIELD(keel_report_loop, WHOLE, region),
    FIELD(keel_report_loop, BOOL, nested),
    FIELD(keel_report_loop, TEXT, schedule),
    FIELD(keel_report_loop, BOOL, under_keel),
    FIELD(keel_report_loop, BOOL, mixed),
    FIELD(keel_report_loop, TEXT, suggestion),
    FIELD(keel_report_loop, TIME, gain_s),
    FIELD(keel_report_loop, TEXT, learned),
    FIELD(keel_report_loop, COUNT, instances),
    FIELD(keel_report_loop, COUNT, iterations),
    FIELD(keel_report_loop, TIME, elapsed_s),
    FIELD(keel_report_loop, TIME, elapsed_squares_s2),
    FIELD(keel_report_loop, COUNT, waits_seen),
    FIELD(keel_report_loop, TIME, median_wait_s),
    FIELD(keel_report_loop, NUMBER, threads),
    ARRAY(keel_report_loop, FIXED, thread, threads, &thread),
    OBJECT(keel_report_loop, measured, &measured),
};
static const struct keel_report_object loop = OBJECT_OF(keel_report_loop, of_loop);

/* --- ranks --- */

static const struct keel_report_member of_shared[] = {
    FIELD(keel_report_shared, TEXT, place),       FIELD(keel_report_shared, TEXT, schedule),
    FIELD(keel_report_shared, COUNT, instances),  FIELD(keel_report_shared, COUNT, iterations),
    FIELD(keel_report_shared, COUNT, executed),   FIELD(keel_report_shared, COUNT, chunks),
    FIELD(keel_report_shared, COUNT, migrations), FIELD(keel_report_shared, COUNT, migrated),
    FIELD(keel_report_shared, COUNT, messages),   FIELD(keel_report_shared, TIME, busy_s),
    FIELD(keel_report_shared, TIME, waited_s),    FIELD(keel_report_shared, TIME, elapsed_s),
};
static const struct keel_report_object shared = OBJECT_OF(keel_report_shared, of_shared);

static const struct keel_report_member of_decision[] = {
    FIELD(keel_report_decision, COUNT, hook),  FIELD(keel_report_decision, TIME, time_s),
    FIELD(keel_report_decision, REAL, gain),   FIELD(keel_report_decision, COUNT, moved),
    FIELD(keel_report_decision, TEXT, policy), FIELD(keel_report_decision, TEXT, reason),
};
static const struct keel_report_object decision = OBJECT_OF(keel_report_decision, of_decision);

static const struct keel_report_member of_rows[] = {
    FIELD(keel_report_rows, TEXT, name),
    FIELD(keel_report_rows, COUNT, hooks),
    FIELD(keel_report_rows, COUNT, movements),
    FIELD(keel_report_rows, COUNT, rows_moved),
    FIELD(keel_report_rows, COUNT, rows_sent),
    FIELD(keel_report_rows, COUNT, rows_received),
    FIELD(keel_report_rows, COUNT, bytes_sent),
    FIELD(keel_report_rows, TIME, decision_s),
    FIELD(keel_report_rows, TIME, waiting_s),
    FIELD(keel_report_rows, TIME, movement_s),
    FIELD(keel_report_rows, TIME, busy_s),
    FIELD(keel_report_rows, COUNT, copies),
    FIELD(keel_report_rows, COUNT, copies_sent_bytes),
    FIELD(keel_report_rows, COUNT, copies_bytes),
    FIELD(keel_report_rows, TIME, copies_s),
    ARRAY(keel_report_rows, OBJECTS, decision, decision_count, &decision),
    FIELD(keel_report_rows, COUNT, decisions_left_out),
};
static const struct keel_report_object rows = OBJECT_OF(keel_report_rows, of_rows);

static const struct keel_report_member of_phase[] = {
    FIELD(keel_report_phase, COUNT, phase),
    FIELD(keel_report_phase, TEXT, policy),
    FIELD(keel_report_phase, COUNT, computed),
    FIELD(keel_report_phase, TIME, came_s),
    FIELD(keel_report_phase, TIME, expected_lower_s),
    FIELD(keel_report_phase, TIME, expected_upper_s),
    FIELD(keel_report_phase, TIME, lower_s),
    FIELD(keel_report_phase, TIME, upper_s),
    FIELD(keel_report_phase, TIME, unbalanced_s),
    FIELD(keel_report_phase, REAL, pieces),
    FIELD(keel_report_phase, REAL, gain),
    FIELD(keel_report_phase, TEXT, advice),
};
static const struct keel_report_object phase = OBJECT_OF(keel_report_phase, of_phase);

static const struct keel_report_member of_objects[] = {
    FIELD(keel_report_objects, TEXT, name),
    FIELD(keel_report_objects, COUNT, phases),
    FIELD(keel_report_objects, COUNT, computed),
    FIELD(keel_report_objects, COUNT, handled),
    FIELD(keel_report_objects, COUNT, sent_away),
    FIELD(keel_report_objects, COUNT, forwarded),
    FIELD(keel_report_objects, COUNT, undelivered),
    FIELD(keel_report_objects, COUNT, given),
    FIELD(keel_report_objects, COUNT, taken),
    FIELD(keel_report_objects, COUNT, refused),
    FIELD(keel_report_objects, COUNT, bytes_given),
    FIELD(keel_report_objects, COUNT, bytes_taken),
    FIELD(keel_report_objects, COUNT, asked),
    FIELD(keel_report_objects, COUNT, asked_in_vain),
    FIELD(keel_report_objects, COUNT, messages),
    FIELD(keel_report_objects, COUNT, neighbours),
    FIELD(keel_report_objects, TIME, busy_s),
    FIELD(keel_report_objects, TIME, idle_s),
    FIELD(keel_report_objects, TIME, answering_s),
    FIELD(keel_report_objects, TIME, packing_s),
    FIELD(keel_report_objects, TIME, quantum_s),
    FIELD(keel_report_objects, COUNT, copies),
    FIELD(keel_report_objects, COUNT, copies_sent_bytes),
    FIELD(keel_report_objects, COUNT, copies_bytes),
    FIELD(keel_report_objects, TIME, copies_s),
    ARRAY(keel_report_objects, OBJECTS, phase, phase_count, &phase),
    FIELD(keel_report_objects, COUNT, phases_left_out),
};
static const struct keel_report_object objects = OBJECT_OF(keel_report_objects, of_objects);

/* --- processes --- */

static const struct keel_report_member of_cores[] = {
    FIELD(keel_report_cores, NUMBER, online),
    FIELD(keel_report_cores, NUMBER, allowed),
    FIELD(keel_report_cores, TIME, quota),
};
static const struct keel_report_object cores = OBJECT_OF(keel_report_cores, of_cores);

static const struct keel_report_member of_call[] = {
    FIELD(keel_report_call, TEXT, name),      FIELD(keel_report_call, TEXT, place),
    FIELD(keel_report_call, COUNT, calls),    FIELD(keel_report_call, TIME, s),
    FIELD(keel_report_call, TIME, longest_s),
};
static const struct keel_report_object call = OBJECT_OF(keel_report_call, of_call);

static const struct keel_report_member of_process[] = {
    FIELD(keel_report_process, TEXT, program),
    FIELD(keel_report_process, TEXT, host),
    FIELD(keel_report_process, TEXT, job),
    FIELD(keel_report_process, COUNT, pid),
    FIELD(keel_report_process, WHOLE, rank),
    FIELD(keel_report_process, WHOLE, ranks),
    FIELD(keel_report_process, BOOL, complete),
    FIELD(keel_report_process, TIME, elapsed_s),
    FIELD(keel_report_process, TIME, serial_s),
    FIELD(keel_report_process, TIME, mpi_s),
    FIELD(keel_report_process, BOOL, mpi_seen),
    FIELD(keel_report_process, TIME, mpi_in_regions_s),
    FIELD(keel_report_process, NUMBER, threads),
    FIELD(keel_report_process, NUMBER, shared_threads),
    FIELD(keel_report_process, NUMBER, own_threads),
    FIELD(keel_report_process, TIME, met_s),
    OBJECT(keel_report_process, cores, &cores),
    ARRAY(keel_report_process, OBJECTS, loop, loop_count, &loop),
    FIELD(keel_report_process, COUNT, loops_left_out),
    ARRAY(keel_report_process, OBJECTS, shared, shared_count, &shared),
    ARRAY(keel_report_process, OBJECTS, rows, rows_count, &rows),
    ARRAY(keel_report_process, OBJECTS, objects, objects_count, &objects),
    ARRAY(keel_report_process, OBJECTS, call, call_count, &call),
};
const struct keel_report_object keel_report_object_process =
    OBJECT_OF(keel_report_process, of_process);
