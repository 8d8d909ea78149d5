/* A program without OpenMP that loads extensions: host EXTENSION... runs each, twice in turn,
 * loaded with RTLD_LOCAL, or with RTLD_GLOBAL as `global:FILE`; one that is loaded as `again:FILE`
 * is run, unloaded, and loaded again. `late:FILE` loads a library globally first. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { EXTENSIONS_MAX = 4 };

struct extension {
    void *handle;
    int (*run)(void);
    void (*tail)(void);                /* may be NULL, as may be the next */
    int (*around)(int (*other)(void)); /* calls the other one in a region */
};

static void *symbol_in(void *handle, const char *name, void *function)
{
    void *symbol = handle != NULL ? dlsym(handle, name) : NULL;

    memcpy(function, &symbol, sizeof symbol);
    return symbol;
}

static bool load(const char *file, int scope, struct extension *extension)
{
    extension->handle = dlopen(file, RTLD_NOW | scope);
    if (symbol_in(extension->handle, "extension_run", &extension->run) == NULL) {
        printf("%s\n", dlerror());
        return false;
    }
    symbol_in(extension->handle, "extension_tail", &extension->tail);
    symbol_in(extension->handle, "extension_around", &extension->around);
    return true;
}

static int run(const struct extension *extension)
{
    if (extension->tail != NULL) {
        extension->tail();
    }
    return extension->run();
}

/* What is behind the prefix; NULL: the word does not begin with it. */
static const char *behind(const char *word, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

int main(int argc, char **argv)
{
    struct extension extension[EXTENSIONS_MAX];
    int loaded = 0, failures = 0;

    for (int i = 1; i < argc && loaded < EXTENSIONS_MAX; i++) {
        const char *late = behind(argv[i], "late:"), *global = behind(argv[i], "global:"),
                   *again = behind(argv[i], "again:");
        if (late != NULL) {
            failures += dlopen(late, RTLD_NOW | RTLD_GLOBAL) == NULL;
            continue;
        }
        const char *file = global != NULL ? global : again != NULL ? again : argv[i];
        for (int times = again != NULL ? 2 : 1; times > 0; times--) {
            if (!load(file, global != NULL ? RTLD_GLOBAL : RTLD_LOCAL, &extension[loaded])) {
                return 2;
            }
            failures += run(&extension[loaded]);
            if (times > 1) {
                dlclose(extension[loaded].handle);
            }
        }
        loaded++;
    }
    for (int i = 0; i < loaded; i++) {
        failures += run(&extension[i]);
        if (loaded > 1 && extension[i].around != NULL) {
            failures += extension[i].around(extension[(i + 1) % loaded].run);
        }
    }
    printf("%d extensions, %d failures\n", loaded, failures);
    return failures > 0;
}
