/* A program without OpenMP that loads extensions: host EXTENSION... runs each, twice in turn,
 * loaded with RTLD_LOCAL. `late:FILE` loads a library globally first. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { EXTENSIONS_MAX = 4 };

typedef int extension_function(void);

static extension_function *load(const char *file)
{
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *symbol = handle != NULL ? dlsym(handle, "extension_run") : NULL;
    extension_function *run = NULL;

    if (symbol == NULL) {
        printf("%s\n", dlerror());
    }
    memcpy(&run, &symbol, sizeof run);
    return run;
}

int main(int argc, char **argv)
{
    extension_function *run[EXTENSIONS_MAX];
    int loaded = 0, failures = 0;

    for (int i = 1; i < argc && loaded < EXTENSIONS_MAX; i++) {
        if (strncmp(argv[i], "late:", 5) == 0) {
            failures += dlopen(argv[i] + 5, RTLD_NOW | RTLD_GLOBAL) == NULL;
            continue;
        }
        run[loaded] = load(argv[i]);
        if (run[loaded] == NULL) {
            return 2;
        }
        failures += run[loaded++]();
    }
    for (int i = 0; i < loaded; i++) {
        failures += run[i]();
    }
    printf("%d extensions, %d failures\n", loaded, failures);
    return failures > 0;
}
