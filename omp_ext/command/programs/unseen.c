/* Why no loop came to Keel. */
#include "omp_ext/command/programs/unseen.h"

#include <string.h>
#include <sys/wait.h>

#include "omp_ext/command/programs/program.h"
#include "omp_ext/support/message.h"

bool keel_unseen_explain(const char *program, int status, const char *where)
{
    enum keel_program kind = keel_program_kind(program);

    if (kind == KEEL_PROGRAM_STATIC) {
        keel_message("no loop of '%s' came to Keel%s: it is linked statically, so that nothing can "
                     "be preloaded into it; link it dynamically, or with `keel libs`",
                     program, where);
    } else if (kind == KEEL_PROGRAM_SECURE) {
        keel_message("no loop of '%s' came to Keel%s: it runs with rights that the caller has not "
                     "(setuid, setgid or capabilities), so that nothing is preloaded into it; link "
                     "it with `keel libs`",
                     program, where);
    } else if (WIFSIGNALED(status)) {
        keel_message("no loop of '%s' came to Keel%s before signal %d (%s) ended it", program,
                     where, WTERMSIG(status), strsignal(WTERMSIG(status)));
    }
    return kind != KEEL_PROGRAM_USUAL || WIFSIGNALED(status);
}
