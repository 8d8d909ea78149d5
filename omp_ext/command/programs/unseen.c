/* Whether loops of a program came to Keel, and why none did. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/command/parts/command_parts.h"
#include "omp_ext/command/programs/programs.h"
#include "omp_ext/report/report_file.h"
#include "omp_ext/support/message.h"
#include "schedules/text/text.h"

/* --- the file of KEEL_SEEN --- */

void keel_mark_file_empty(const struct keel_mark_file *mark)
{
    FILE *file = fopen(mark->path, "we");

    if (file != NULL) {
        fputc('0', file); /* so that there is room for the mark on a disk that is full by then */
        fclose(file);
    }
}

void keel_mark_file_make(struct keel_mark_file *mark)
{
    char *folder = keel_temporary_make("keel-run");

    mark->path[0] = '\0';
    if (folder == NULL) {
        keel_message("no file can be made in '%s' (TMPDIR): %s; the program runs, but whether its "
                     "loops come to Keel is not noticed",
                     keel_temporary_within(), strerror(errno));
        return;
    }
    snprintf(mark->path, sizeof mark->path, "%s/seen", folder);
    free(folder);
    keel_mark_file_empty(mark);
}

/* What libkeel.so writes, see omp_ext/gomp/loop_mark.h. */
enum { KEEL_LOOP_MARK = '1', KEEL_LOOP_MARK_FOREIGN = '2' };

/* -1: there is nothing to read. */
static int has_byte(const struct keel_mark_file *mark, int byte)
{
    FILE *file = mark->path[0] != '\0' ? fopen(mark->path, "re") : NULL;
    int got = EOF;

    if (file == NULL) {
        return -1;
    }
    while ((got = getc(file)) != EOF && got != byte) {
    }
    fclose(file);
    return got == byte;
}

bool keel_mark_file_set(const struct keel_mark_file *mark)
{
    return has_byte(mark, KEEL_LOOP_MARK) != 0;
}

bool keel_mark_file_foreign(const struct keel_mark_file *mark)
{
    return has_byte(mark, KEEL_LOOP_MARK_FOREIGN) > 0;
}

static bool is_among(const char *name, char (*program)[PATH_MAX], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(program[i], name) == 0) {
            return true;
        }
    }
    return false;
}

size_t keel_mark_file_programs(const struct keel_mark_file *mark, const char *own,
                               char (*program)[PATH_MAX], size_t most)
{
    char path[PATH_MAX + 16], file[PATH_MAX], absolute[PATH_MAX] = "", line[PATH_MAX];
    size_t count = 0;
    bool itself = false;

    snprintf(path, sizeof path, "%s.programs", mark->path);
    if (keel_program_find(own, file) && realpath(file, absolute) == NULL) {
        absolute[0] = '\0';
    }
    FILE *lines = mark->path[0] != '\0' ? fopen(path, "re") : NULL;
    while (lines != NULL && fgets(line, sizeof line, lines) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        itself |= strcmp(line, absolute) == 0;
        if (count < most && !is_among(line, program, count)) {
            strcpy(program[count++], line);
        }
    }
    if (lines != NULL) {
        fclose(lines);
    }
    return itself ? 0 : count;
}

void keel_mark_file_remove(struct keel_mark_file *mark)
{
    char *slash = strrchr(mark->path, '/');

    if (slash != NULL) {
        *slash = '\0';
        keel_report_folder_remove(mark->path);
    }
    mark->path[0] = '\0';
}

/* --- why no loop came --- */

#define REASON_MAX 4352 /* a path, and a sentence */

/* What keeps the dynamic linker from preloading; "" nothing. */
static void judge_file(const struct keel_program *program, char reason[REASON_MAX])
{
    switch (program->kind) {
    case KEEL_PROGRAM_STATIC:
        snprintf(reason, REASON_MAX,
                 "it is linked statically, so that nothing can be preloaded into it; link it "
                 "dynamically, or with `keel libs`");
        break;
    case KEEL_PROGRAM_SCRIPT:
        snprintf(reason, REASON_MAX,
                 "it is a script that %.200s runs. Keel goes along into the programs that it "
                 "starts, and no loop of theirs came either; for more, use `keel run` with the "
                 "program itself, in the script",
                 program->interpreter);
        break;
    case KEEL_PROGRAM_USUAL:
        break;
    }
}

/* What keeps the loops of its OpenMP from coming. */
static void judge_openmp(const struct keel_openmp *openmp, char reason[REASON_MAX])
{
    static const char *const makers[] = {[KEEL_OPENMP_LLVM] = "LLVM",
                                         [KEEL_OPENMP_INTEL] = "Intel",
                                         [KEEL_OPENMP_NVIDIA] = "NVIDIA"};

    if (openmp->runtime > KEEL_OPENMP_GCC) {
        snprintf(reason, REASON_MAX,
                 "it uses %s's OpenMP runtime (%s), which Keel does not take over; build it, and "
                 "its libraries, with GCC, and take it out of LD_PRELOAD and LD_LIBRARY_PATH",
                 makers[openmp->runtime], openmp->library);
    } else if (openmp->old) {
        snprintf(reason, REASON_MAX,
                 "its libgomp (%s) is older than that of GCC 9, and of such ones Keel takes over "
                 "only loops that are combined with their region; let LD_LIBRARY_PATH lead to a "
                 "later one",
                 openmp->library);
    }
}

const char *keel_unseen_obstacle(const char *name)
{
    static char reason[REASON_MAX];
    struct keel_program program;
    struct keel_openmp openmp;

    reason[0] = '\0';
    keel_program_read(name, &program);
    judge_file(&program, reason);
    if (program.kind == KEEL_PROGRAM_USUAL) {
        keel_openmp_read(&program, &openmp);
        judge_openmp(&openmp, reason);
    }
    return reason;
}

bool keel_unseen_explain(const char *name, int status, const char *where)
{
    const char *reason = keel_unseen_obstacle(name);

    if (reason[0] != '\0') {
        keel_message("no loop of '%s' came to Keel%s: %s", name, where, reason);
    } else if (WIFSIGNALED(status)) {
        keel_message("no loop of '%s' came to Keel%s before signal %d (%s) ended it", name, where,
                     WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return reason[0] != '\0' || WIFSIGNALED(status);
}

const char *keel_unseen_remedy(const char *name)
{
    const char *override = getenv("KEEL_OVERRIDE");
    struct keel_program program;
    struct keel_openmp openmp;

    keel_program_read(name, &program);
    keel_openmp_read(&program, &openmp);
    if (openmp.runtime_loops) {
        return "it has loops that could come, but none of them ran; the others come if they are "
               "compiled with schedule(runtime) clauses or with the flags of `keel cflags`, or by "
               "KEEL_OVERRIDE=dynamic,guided";
    }
    if (openmp.explicit_loops) {
        return "its schedule(dynamic) and schedule(guided) loops come with "
               "KEEL_OVERRIDE=dynamic,guided, others if they are compiled with schedule(runtime) "
               "clauses or with the flags of `keel cflags`";
    }
    if (openmp.regions && override != NULL && strstr(override, "static") != NULL) {
        return "the compiler has divided its loops, if it has any: KEEL_EXPLAIN=1 says why Keel "
               "leaves them; or compile them with schedule(runtime) clauses or with the flags of "
               "`keel cflags`";
    }
    if (openmp.regions) {
        return "the compiler has divided its loops, if it has any: compile them with "
               "schedule(runtime) clauses or with the flags of `keel cflags`, or try "
               "KEEL_OVERRIDE=static";
    }
    return "neither it nor what it is linked with has parallel regions of GCC's OpenMP: compile it "
           "with -fopenmp, and with schedule(runtime) clauses or the flags of `keel cflags`; none "
           "came of libraries that it loaded, or of programs that it started";
}
