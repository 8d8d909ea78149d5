/* The functions around a code address. See source_inside.h.
 *
 * With debug information: the functions on the path to the address. GCC nests the outlined function
 * of a parallel region in the function that it was made from, so the user's function is on that
 * path, too. A function's qualified name comes from where it was declared. Without: the symbol.
 */
#include "omp_ext/source/source_inside.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

static void add_name(struct keel_source *source, const char *name)
{
    for (unsigned i = 0; i < source->name_count; i++) {
        if (strcmp(source->names[i], name) == 0) {
            return;
        }
    }
    if (source->name_count < KEEL_SOURCE_NAMES && *name != '\0' &&
        strlen(name) < KEEL_SOURCE_NAME_SIZE) {
        strcpy(source->names[source->name_count++], name);
    }
}

/* Put "scope::" before `name`, unless it has no name of its own or does not fit. */
static void prepend_scope(char *name, const char *scope)
{
    char part[KEEL_SOURCE_NAME_SIZE];
    size_t length = strlen(name);
    size_t part_length;

    if (scope == NULL || *scope == '<' || strlen(scope) >= sizeof part) {
        return;
    }
    strcpy(part, scope);
    keel_name_text_cut_suffix(part);
    keel_name_text_cut_template(part);
    part_length = strlen(part);
    if (part_length + 2 + length < KEEL_SOURCE_NAME_SIZE) {
        memmove(name + part_length + 2, name, length + 1);
        memcpy(name, part, part_length);
        memcpy(name + part_length, "::", 2);
    }
}

static bool is_named_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
           tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* The entry that declares a function: an inlined or concrete one refers to its abstract instance,
 * and that one, if it is a member, to the declaration in its class. */
static Dwarf_Die declaration_of(const Dwarf_Die *function)
{
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    Dwarf_Die die = *function;

    /* At most three steps in sound data; damaged data may go round in circles. */
    for (int step = 0; step < 8; step++) {
        Dwarf_Attribute attribute;
        Dwarf_Die target;
        bool moved = false;

        for (int i = 0; i < 2 && !moved; i++) {
            moved = dwarf_attr(&die, links[i], &attribute) != NULL &&
                    dwarf_formref_die(&attribute, &target) != NULL;
        }
        if (!moved) {
            break;
        }
        die = target;
    }
    return die;
}

/* `declared` leads to the function's declaration. */
static void add_qualified(struct keel_source *source, const struct keel_die_path *declared,
                          const char *own_name)
{
    char name[KEEL_SOURCE_NAME_SIZE];

    strcpy(name, own_name);
    keel_name_text_cut_suffix(name);
    keel_name_text_cut_template(name);
    for (unsigned i = declared->depth; i > 1; i--) {
        Dwarf_Die scope = declared->dies[i - 2];

        if (is_named_scope(dwarf_tag(&scope))) {
            prepend_scope(name, dwarf_diename(&scope));
        }
    }
    add_name(source, name);
}

static const char *linkage_name(Dwarf_Die *function)
{
    Dwarf_Attribute attribute;

    return dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
}

static void add_symbol(struct keel_source *source, const char *symbol)
{
    char name[KEEL_SOURCE_NAME_SIZE];

    if (strlen(symbol) < sizeof name) {
        strcpy(name, symbol);
        keel_name_text_cut_suffix(name);
        add_name(source, name);
    }
}

static void add_function(struct keel_source *source, Dwarf_Die *function)
{
    const char *name = dwarf_diename(function);
    const char *linkage = linkage_name(function);
    struct keel_die_path declared;

    if (name != NULL && keel_name_text_is_outlined(name)) {
        /* The function that it was made from follows on the path, with its qualified name. */
        linkage = name;
    } else if (name != NULL && strlen(name) < KEEL_SOURCE_NAME_SIZE) {
        keel_die_path_to_die(declaration_of(function), &declared);
        add_qualified(source, &declared, name);
    }
    if (linkage != NULL) {
        add_symbol(source, linkage);
    }
}

/* The functions on a path, and with `follow` those in which each of them was written: a lambda may
 * have been inlined far away from there. */
static void add_path(struct keel_source *source, const struct keel_die_path *path, bool follow)
{
    struct keel_die_path declared;

    for (unsigned i = path->depth; i > 0; i--) {
        Dwarf_Die die = path->dies[i - 1];

        if (!keel_die_path_is_function(&die)) {
            continue;
        }
        add_function(source, &die);
        if (follow && keel_die_path_to_die(declaration_of(&die), &declared)) {
            add_path(source, &declared, false);
        }
    }
}

/* The demangler is the C++ library's, which a program with C++ functions has, or could have. It
 * stays loaded: dlclose() comes to libkeel.so, which finds names before a library goes, and whose
 * lock the caller holds. Calls wait for each other, see source_lines.h. */
static void add_demangled(struct keel_source *source, const char *symbol)
{
    typedef char *demangle(const char *, char *, size_t *, int *);
    static void *library;
    if (library == NULL) {
        library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
    }
    demangle *function = library == NULL ? NULL : (demangle *)dlsym(library, "__cxa_demangle");
    char *name = function == NULL ? NULL : function(symbol, NULL, NULL, NULL);

    if (name != NULL) {
        keel_name_text_cut_signature(name);
        add_name(source, name);
    }
    free(name);
}

static void add_from_symbols(const struct keel_code_location *place, struct keel_source *source)
{
    char name[KEEL_SOURCE_NAME_SIZE];
    GElf_Sym symbol;
    GElf_Off offset;
    const char *found =
        dwfl_module_addrinfo(place->module, place->pc, &offset, &symbol, NULL, NULL, NULL);

    /* libdwfl offers the nearest symbol below, too: a stripped file has few, and far away. */
    if (found == NULL || offset >= symbol.st_size || strlen(found) >= sizeof name) {
        return;
    }
    strcpy(name, found);
    keel_name_text_cut_suffix(name);
    if (strncmp(name, "_Z", 2) == 0) {
        add_demangled(source, name);
    }
    add_name(source, name);
}

void keel_function_names_add(const struct keel_code_location *place, struct keel_source *source)
{
    unsigned before = source->name_count;

    add_path(source, &place->path, true);
    if (source->name_count == before) {
        add_from_symbols(place, source);
    }
}
