/* Finding the real libgomp. */
#define _GNU_SOURCE
#include "omp_ext/gomp/libgomp.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "omp_ext/gomp/loop_mark.h"
#include "omp_ext/machine/launch.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/settings/activity.h"
#include "omp_ext/support/address_table.h"
#include "omp_ext/support/environment.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"

#define COPIES_MAX 16 /* copies of libgomp in one process */

/* A symbol that every libgomp has, and Keel has not. */
#define MARK "GOMP_critical_start"
/* A symbol of LLVM's runtime, and of those that are made from it, as Intel's. */
#define FOREIGN_MARK "__kmpc_fork_call"

_Atomic(const struct keel_libgomp *) keel_libgomp_global;

enum use { NEEDED, SHARING, OPTIONAL };

static const struct entry {
    const char *name;
    size_t field; /* offset in struct keel_libgomp */
    enum use use;
} entries[] = {
#define KEEL_ENTRY(name, use) {#name, offsetof(struct keel_libgomp, name), use},
#define KEEL_NEEDED(result, name, parameters) KEEL_ENTRY(name, NEEDED)
#define KEEL_SHARING(result, name, parameters) KEEL_ENTRY(name, SHARING)
#define KEEL_OPTIONAL(result, name, parameters) KEEL_ENTRY(name, OPTIONAL)
    KEEL_LIBGOMP_NEEDED(KEEL_NEEDED) KEEL_LIBGOMP_SHARING(KEEL_SHARING)
        KEEL_LIBGOMP_OPTIONAL(KEEL_OPTIONAL)};

/* Written under keel_slow_lock. */
static struct keel_libgomp copies[COPIES_MAX];
static _Atomic unsigned copy_count;

/* --- objects of the dynamic linker --- */

static struct link_map *object_of(const void *address)
{
    Dl_info info;
    struct link_map *object = NULL;

    return address != NULL && dladdr1(address, &info, (void **)&object, RTLD_DL_LINKMAP) != 0
               ? object
               : NULL;
}

/* Where code of the object finds its libgomp. The program itself does so among all that was loaded
 * with it, or for all since. */
static const struct link_map *reached_from(const struct link_map *object)
{
    return object->l_prev == NULL ? object_of(dlsym(RTLD_DEFAULT, MARK))
                                  : keel_link_map_reached(object, MARK);
}

/* Whether it can't be unloaded, as the program itself needs it. */
static bool stays(const struct link_map *object)
{
    return _r_debug.r_map != NULL && keel_link_map_reached(_r_debug.r_map, MARK) == object;
}

/* --- one copy --- */

static _Noreturn void lacks(void)
{
    keel_message("the program calls a function that its libgomp lacks; giving up");
    _exit(127);
}

static void resolve(struct keel_libgomp *copy, void *handle)
{
    void *none = (void *)(uintptr_t)lacks;
    bool has[] = {[NEEDED] = true, [SHARING] = true, [OPTIONAL] = true};

    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *function = dlsym(handle, entries[i].name);
        has[entries[i].use] &= function != NULL;
        /* POSIX: data and function pointers are alike */
        memcpy((char *)copy + entries[i].field, function != NULL ? &function : &none,
               sizeof function);
    }
    copy->schedules = has[NEEDED] && !copy->foreign;
    copy->shares = has[SHARING] && copy->schedules;
}

static const struct keel_libgomp *known_copy(const struct link_map *object)
{
    for (unsigned i = 0; i < copy_count; i++) {
        if (copies[i].object == object) {
            return &copies[i];
        }
    }
    return NULL;
}

/* Once, by one rank of a node. */
static void tell_foreign(const struct link_map *object)
{
    static atomic_bool said;

    if (!keel_loop_attends() || atomic_exchange(&said, true)) {
        return;
    }
    keel_loop_mark_foreign();
    if (keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        keel_message("'%s' is in libgomp's place, and Keel knows only GCC's; the program runs "
                     "as without Keel",
                     object->l_name);
    }
}

static const struct keel_libgomp *add_copy(const struct keel_libgomp *resolved)
{
    keel_slow_lock();
    const struct keel_libgomp *copy = known_copy(resolved->object);
    bool added = copy == NULL && copy_count < COPIES_MAX;
    if (added) {
        copies[copy_count] = *resolved;
        copy = &copies[copy_count++];
    }
    keel_slow_unlock();
    if (added && copy->foreign) {
        tell_foreign(copy->object);
    }
    return copy;
}

/* The copy in `object`. It starts threads, and can't be unloaded while they live: it is kept. A
 * tool between Keel and it is reached by `handle`; NULL: none.
 *
 * The dynamic linker is never asked with keel_slow_lock held: it has a lock of its own, which a
 * thread holds that runs loops in the constructor of what it loads. */
static const struct keel_libgomp *copy_in(const struct link_map *object, void *handle)
{
    const struct keel_libgomp *copy = known_copy(object);
    struct keel_libgomp resolved = {.object = object};

    if (copy != NULL) {
        return copy;
    }
    if (handle == NULL || !stays(object)) {
        void *kept = dlopen(object->l_name[0] != '\0' ? object->l_name : NULL,
                            RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
        if (kept == NULL) {
            return NULL;
        }
        handle = handle != NULL ? handle : kept;
    }
    resolved.foreign = keel_link_map_defines(object, FOREIGN_MARK);
    resolve(&resolved, handle);
    return add_copy(&resolved);
}

/* --- which copy --- */

/* The first libgomp that the process has loaded. */
static const struct link_map *first_loaded(void)
{
    return keel_link_map_first(object_of(copies), MARK);
}

/* The libgomp in the global scope behind Keel. If no other one was loaded before it, all that is
 * loaded gets it, and the search is over for good. */
static const struct keel_libgomp *find_global(void)
{
    const struct link_map *object = object_of(dlsym(RTLD_NEXT, MARK));
    const struct link_map *next =
        object != NULL ? object_of(dlsym(RTLD_NEXT, "GOMP_parallel")) : NULL;
    /* another Keel is none of the tools that watch a libgomp */
    bool direct = next != NULL && keel_link_map_defines(next, "keel_lending_meet");
    const struct keel_libgomp *copy =
        object != NULL ? copy_in(object, direct ? NULL : RTLD_NEXT) : NULL;

    if (copy != NULL && first_loaded() == object) {
        /* release: the table is complete before it is seen; pairs with the acquire in
         * keel_libgomp_known() */
        atomic_store_explicit(&keel_libgomp_global, copy, memory_order_release);
    }
    return copy;
}

/* Some objects get libgomp from whoever loaded them; the first one that was loaded is then the best
 * guess. */
static const struct keel_libgomp *find_any(void)
{
    const struct link_map *object = first_loaded();
    void *handle = object == NULL ? dlopen("libgomp.so.1", RTLD_LAZY) : NULL;

    if (handle != NULL) {
        object = object_of(dlsym(handle, MARK));
    }
    return object != NULL ? copy_in(object, NULL) : NULL;
}

/* own: whether it is due to the object, and not a guess. */
static const struct keel_libgomp *search(const void *code, bool *own)
{
    const struct keel_libgomp *global = find_global();
    const struct keel_libgomp *copy = global;

    *own = keel_libgomp_known() != NULL;
    if (!*own) {
        const struct link_map *object = object_of(code);
        const struct link_map *found = object != NULL ? reached_from(object) : NULL;
        *own = found != NULL;
        if (found != NULL && (global == NULL || !keel_link_map_is_before(global->object, object))) {
            copy = copy_in(found, NULL);
        } else if (global == NULL) {
            copy = find_any();
        }
    }
    if (copy == NULL) {
        /* As the dynamic linker would without Keel: no object has the function that is being
         * called. */
        keel_message("the program calls libgomp, but libgomp.so.1 can't be found; giving up");
        _exit(127);
    }
    return copy;
}

/* --- what has been found --- */

/* An address whose copy is known. */
struct known {
    struct keel_address_key key;
    _Atomic uint64_t word; /* 1 + keel_unload_count, shifted, with OWN and the number of the copy */
};

static struct keel_address_table addresses;

#define OWN 16u
_Static_assert(COPIES_MAX <= OWN, "what the shifts below say");

/* What is known of the address; 0: nothing, as also when a library may have been unloaded. */
static uint64_t recall(uintptr_t address)
{
    struct known *known = address != 0 ? keel_address_find(&addresses, address, 0) : NULL;
    /* acquire: pairs with the release in keep() */
    uint64_t word = known != NULL ? atomic_load_explicit(&known->word, memory_order_acquire) : 0;

    return word >> 5 == UINT64_C(1) + keel_unload_count_now() ? word : 0;
}

static uint64_t keep(uintptr_t address, const struct keel_libgomp *copy, bool own)
{
    struct known *known = keel_address_entry(&addresses, sizeof *known, address, 0);
    uint64_t word =
        (UINT64_C(1) + keel_unload_count_now()) << 5 | (own ? OWN : 0) | (uint64_t)(copy - copies);

    if (known != NULL) {
        /* release: the copy is complete before its number is seen */
        atomic_store_explicit(&known->word, word, memory_order_release);
    }
    return word;
}

/* Threads of a team come with return addresses in objects that one of them has asked for before, or
 * in libkeel.so: so they need no lock of the dynamic linker, which a thread may hold that loads the
 * object, and waits for them. */
static uint64_t find_object(const void *code, const struct keel_libgomp *region)
{
    uintptr_t base = 0, keel = 0;

    keel_module_file(code, NULL, 0, &base);
    keel_module_file(copies, NULL, 0, &keel);
    uint64_t word = recall(base);
    if (word == 0) {
        bool own = false;
        const struct keel_libgomp *copy =
            base == keel && region != NULL ? region : search(code, &own);
        word = keep(base, copy, own);
    }
    return keep((uintptr_t)code, &copies[word % OWN], (word & OWN) != 0);
}

const struct keel_libgomp *keel_libgomp_find(const void *code, const struct keel_libgomp *region)
{
    uint64_t word = recall((uintptr_t)code);

    if (word == 0) {
        word = find_object(code, region);
    }
    return (word & OWN) == 0 && region != NULL ? region : &copies[word % OWN];
}

/* --- what does not come to Keel --- */

void keel_libgomp_check_order(bool at_end)
{
    const struct link_map *object = object_of(dlsym(RTLD_DEFAULT, "GOMP_parallel"));

    if (object == NULL || object == object_of(copies)) {
        return;
    }
    if (keel_link_map_defines(object, FOREIGN_MARK)) {
        if (keel_link_map_named(object, "libgomp.so.1") != NULL) {
            tell_foreign(object);
        }
    } else if (at_end && copy_count == 0 && keel_link_map_defines(object, MARK) &&
               _r_debug.r_map != NULL && keel_link_map_needs(_r_debug.r_map, "libkeel.so") &&
               keel_loop_attends() &&
               keel_launch_role(keel_environment_value) != KEEL_LAUNCH_OTHER) {
        keel_message("libgomp (%.300s) comes before libkeel.so in this program, so that no loop "
                     "comes to Keel: link -lkeel before -lgomp (`keel libs`), or use `keel run`",
                     object->l_name);
    }
}
