/* A comparison as comma-separated values. */
#include "omp_ext/command/compare/files/csv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/support/message.h"

/* A field; quotation marks in it are doubled (RFC 4180). */
static void print_field(FILE *file, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, file);
    }
    fputc('"', file);
}

static void print_run(FILE *file, const struct keel_session *session,
                      const struct keel_session_run *run)
{
    fputc(',', file);
    print_field(file, session->candidates->of[run->candidate].name);
    fprintf(file, ",%zu,%zu,%.9f,%.6f,%.6f,%ld\n", run->round, run->order, run->end.seconds,
            run->end.user_s, run->end.system_s, run->end.resident_kib);
}

static void print_loop(FILE *file, const struct keel_session *session,
                       const struct keel_loop_time *loop)
{
    for (size_t round = 0; round < loop->samples.rounds; round++) {
        for (size_t i = 0; i < loop->samples.candidates; i++) {
            double time_s = keel_samples_at(&loop->samples, round, i);
            if (isnan(time_s)) {
                continue;
            }
            print_field(file, loop->place);
            fputc(',', file);
            print_field(file, session->candidates->of[i].name);
            fprintf(file, ",%zu,,%.9f,,,\n", round + 1, time_s);
        }
    }
}

bool keel_compare_csv_write(const char *path, const struct keel_session *session)
{
    FILE *file = fopen(path, "we");
    bool written = file != NULL;

    if (file != NULL) {
        fputs("place,schedule,round,order,wall_s,user_s,system_s,resident_kib\n", file);
        for (size_t i = 0; i < session->runs; i++) {
            print_run(file, session, &session->run[i]);
        }
        for (size_t i = 0; i < session->loops.count; i++) {
            print_loop(file, session, &session->loops.of[i]);
        }
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        keel_message("'%s' cannot be written: %s", path, strerror(errno));
    }
    return written;
}
