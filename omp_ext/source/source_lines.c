/* Loop site -> source, in one visit to the debug information. See source_lines.h. */
#include "omp_ext/source/source_lines.h"

#include <dwarf.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "omp_ext/source/source_inside.h"
#include "omp_ext/source/self_modules.h"

/* Makes `place`, where an outlined function begins, that function's own: the code of another one
 * may have been inlined or moved to its first byte. The first row there that begins a statement is
 * the directive's; a row of the function before may end there. */
static void keep_to_entry(struct keel_code_location *place)
{
    Dwarf_Die unit = place->unit;
    Dwarf_Lines *rows;
    size_t count;

    for (unsigned i = place->path.depth; i > 1; i--) {
        if (dwarf_tag(&place->path.dies[i - 1]) == DW_TAG_subprogram) {
            place->path.depth = i;
            break;
        }
    }
    if (!place->has_unit || dwarf_getsrclines(&unit, &rows, &count) != 0) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *row = dwarf_onesrcline(rows, i);
        Dwarf_Addr address;
        bool end, begins;
        int line;
        if (dwarf_lineaddr(row, &address) == 0 && address == place->pc - place->bias &&
            dwarf_lineendsequence(row, &end) == 0 && !end &&
            dwarf_linebeginstatement(row, &begins) == 0 && begins &&
            dwarf_lineno(row, &line) == 0 && line > 0) {
            place->file = dwarf_linesrc(row, NULL, NULL);
            place->line = (unsigned)line;
            return;
        }
    }
}

/* The outlined function's names come second: behind the call may be an inlined function. */
static int find(Dwfl *modules, const void *address, const void *outlined,
                struct keel_source *source)
{
    struct keel_code_location call;
    struct keel_code_location entry;
    bool has_entry =
        outlined != NULL && keel_self_modules_place(modules, (uintptr_t)outlined, &entry);

    /* The call's last byte is its line's; the return address may be the next statement's. */
    if (!keel_self_modules_place(modules, (uintptr_t)address - 1, &call)) {
        return KEEL_SOURCE_UNREADABLE;
    }
    if (!has_entry) {
        keel_header_calls_leave(&call);
    } else {
        keep_to_entry(&entry);
        call = call.pc == entry.pc ? entry : call;
    }
    keel_function_names_add(&call, source);
    if (has_entry) {
        keel_function_names_add(&entry, source);
    }
    if (!(has_entry && keel_header_lines_find(&entry, source))) {
        keel_header_lines_find(&call, source);
    }
    return source->line != 0 || source->name_count != 0 ? KEEL_SOURCE_FOUND : KEEL_SOURCE_UNKNOWN;
}

struct question {
    const void *address, *outlined;
    struct keel_source *source;
    int status;
};

static void answer(void *context)
{
    struct question *question = context;
    Dwfl *modules = keel_self_modules_open();

    if (modules != NULL) {
        question->status = find(modules, question->address, question->outlined, question->source);
        keel_self_modules_close(modules);
    }
}

int keel_source_find(const void *address, const void *outlined, struct keel_source *source)
{
    /* libdw promises nothing about threads. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct question question = {address, outlined, source, KEEL_SOURCE_UNREADABLE};
    int saved_errno = errno, cancel_state;

    /* The program's thread must not be cancelled on another stack, with the lock. */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    memset(source, 0, sizeof *source);
    pthread_mutex_lock(&lock);
    keel_own_stack_run(answer, &question);
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return question.status;
}
