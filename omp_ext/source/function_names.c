/* Paths to code in the debug information, and names of functions on them. See source_inside.h. */
#include "omp_ext/source/source_inside.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* --- entries around an entry, and around code --- */

static bool push(struct keel_die_path *path, const Dwarf_Die *die)
{
    if (path->depth == KEEL_DIE_PATH_DEPTH) {
        return false;
    }
    path->dies[path->depth++] = *die;
    return true;
}

bool keel_die_first_child(const Dwarf_Die *parent, Dwarf_Die *child)
{
    Dwarf_Die from = *parent;

    return dwarf_child(&from, child) == 0 && dwarf_dieoffset(child) > dwarf_dieoffset(&from);
}

bool keel_die_next_sibling(Dwarf_Die *die)
{
    Dwarf_Die from = *die;

    return dwarf_siblingof(&from, die) == 0 && dwarf_dieoffset(die) > dwarf_dieoffset(&from);
}

static const Dwarf_Die *last(const struct keel_die_path *path)
{
    return &path->dies[path->depth - 1];
}

bool keel_die_path_is_function(const Dwarf_Die *die)
{
    int tag = dwarf_tag((Dwarf_Die *)die);

    return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

bool keel_die_may_hold_functions(const Dwarf_Die *die)
{
    switch (dwarf_tag((Dwarf_Die *)die)) {
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
        return true;
    default:
        return false;
    }
}

static bool holds_code(Dwarf_Die *die, Dwarf_Addr pc)
{
    return (keel_die_path_is_function(die) || dwarf_tag(die) == DW_TAG_lexical_block) &&
           dwarf_haspc(die, pc) > 0;
}

/* Searches depth-first below the last entry of `path`, and appends the path found. The recursion
 * ends at KEEL_DIE_PATH_DEPTH. */
static bool descend_to_code(struct keel_die_path *path, Dwarf_Addr pc)
{
    Dwarf_Die die;

    for (bool more = keel_die_first_child(last(path), &die); more;
         more = keel_die_next_sibling(&die)) {
        bool here = holds_code(&die, pc);

        if (!here && !keel_die_may_hold_functions(&die)) {
            continue;
        }
        if (!push(path, &die)) {
            return false;
        }
        if (descend_to_code(path, pc) || here) {
            return true;
        }
        path->depth--;
    }
    return false;
}

/* With -gsplit-dwarf the entries are in a .dwo file; the unit in the program is a skeleton. */
static Dwarf_Die whole_unit(Dwarf_Die unit)
{
    uint8_t type;
    Dwarf_Die split;

    if (dwarf_cu_info(unit.cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr != NULL) {
        return split;
    }
    return unit;
}

bool keel_die_path_to_code(Dwarf_Die unit, Dwarf_Addr pc, struct keel_die_path *path)
{
    Dwarf_Die whole = whole_unit(unit);

    path->depth = 0;
    push(path, &whole);
    if (!descend_to_code(path, pc)) {
        path->depth = 0;
    }
    return path->depth > 0;
}

/* The child that is or contains the entry at `target`: the last one that does not begin after it,
 * as entries are stored depth-first. */
static bool child_towards(const struct keel_die_path *path, Dwarf_Off target, Dwarf_Die *child)
{
    Dwarf_Die next;

    if (!keel_die_first_child(last(path), &next) || dwarf_dieoffset(&next) > target) {
        return false;
    }
    do {
        *child = next;
    } while (keel_die_next_sibling(&next) && dwarf_dieoffset(&next) <= target);
    return true;
}

/* The path to the entry itself, from its unit. */
static bool die_path_to_die(Dwarf_Die die, struct keel_die_path *path)
{
    Dwarf_Off target = dwarf_dieoffset(&die);
    Dwarf_Die next;

    path->depth = 0;
    if (dwarf_diecu(&die, &next, NULL, NULL) == NULL) {
        return false;
    }
    push(path, &next);
    while (dwarf_dieoffset(&path->dies[path->depth - 1]) != target) {
        if (!child_towards(path, target, &next) || !push(path, &next)) {
            path->depth = 0;
            return false;
        }
    }
    return true;
}

/* --- names reduced to those that a user writes --- */

bool keel_name_text_is_outlined(const char *name)
{
    return strstr(name, "._omp_fn.") != NULL;
}

/* Cut off what GCC appends to a function it made from another: `._omp_fn.N`, `.constprop.N`,
 * `.isra.N`, `.part.N`, `.lto_priv.N`, `.cold`, and several of them. */
static void name_text_cut_suffix(char *name)
{
    /* No language that GCC compiles with OpenMP has a '.' in a symbol; a leading one stays. */
    char *dot = *name == '\0' ? NULL : strchr(name + 1, '.');

    if (dot != NULL) {
        *dot = '\0';
    }
}

/* Cut off template arguments: `scale<double>` becomes `scale`; operators stay as they are. */
static void name_text_cut_template(char *name)
{
    if (strncmp(name, "operator", 8) != 0) {
        name[strcspn(name, "<")] = '\0';
    }
}

/* Length of the bracketed group at `text`, with its brackets; to the end if it is not closed. */
static size_t group_length(const char *text)
{
    size_t i = 0;
    int depth = 0;

    do {
        if (strchr("(<[{", text[i]) != NULL) {
            depth++;
        } else if (strchr(")>]}", text[i]) != NULL) {
            depth--;
        }
        i++;
    } while (depth > 0 && text[i] != '\0');
    return i;
}

static bool ends_in_operator(const char *begin, const char *end)
{
    return end - begin >= 8 && memcmp(end - 8, "operator", 8) == 0;
}

/* The name is the last word outside of all groups: the return type of a template precedes it,
 * qualifiers such as ` const` follow its parameters. */
static void keep_name_word(char *name, char *parameters)
{
    char *space;

    if (parameters != NULL) {
        *parameters = '\0';
    }
    space = strrchr(name, ' ');
    if (space != NULL && !ends_in_operator(name, space)) {
        memmove(name, space + 1, strlen(space + 1) + 1);
    }
}

/* Reduces a demangled symbol to its qualified name: `T ns::image<T>::scale<U>(U, int) const`
 * becomes `ns::image::scale`, and unnamed namespaces disappear. A group that does not follow a name
 * is a scope without one: "(anonymous namespace)::". */
static void name_text_cut_signature(char *name)
{
    const char *in = name;
    char *out = name, *parameters = NULL;

    while (*in != '\0') {
        bool scope = out == name || out[-1] == ':' || out[-1] == ' ';
        if (strchr("(<[{", *in) != NULL && !ends_in_operator(name, out)) {
            parameters = *in == '(' && !scope ? out : parameters;
            in += group_length(in);
            in += scope && strncmp(in, "::", 2) == 0 ? 2 : 0;
        } else {
            size_t length = strncmp(in, "()", 2) == 0 ? 2 : 1; /* of operator() */
            memmove(out, in, length);
            out += length;
            in += length;
        }
    }
    *out = '\0';
    keep_name_word(name, parameters);
}

/* --- names around code --- */

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

/* Puts "scope::" before `name`, unless the scope has no name or does not fit. */
static void prepend_scope(char *name, const char *scope)
{
    char part[KEEL_SOURCE_NAME_SIZE];
    size_t length = strlen(name);
    size_t part_length;

    if (scope == NULL || *scope == '<' || strlen(scope) >= sizeof part) {
        return;
    }
    strcpy(part, scope);
    name_text_cut_suffix(part);
    name_text_cut_template(part);
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

    /* At most three steps in valid data; damaged data may have cycles. */
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
    name_text_cut_suffix(name);
    name_text_cut_template(name);
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
        name_text_cut_suffix(name);
        add_name(source, name);
    }
}

static void add_function(struct keel_source *source, Dwarf_Die *function)
{
    const char *name = dwarf_diename(function);
    const char *linkage = linkage_name(function);
    struct keel_die_path declared;

    if (name != NULL && keel_name_text_is_outlined(name)) {
        /* The function that it was outlined from follows on the path, with its qualified name. */
        linkage = name;
    } else if (name != NULL && strlen(name) < KEEL_SOURCE_NAME_SIZE) {
        die_path_to_die(declaration_of(function), &declared);
        add_qualified(source, &declared, name);
    }
    if (linkage != NULL) {
        add_symbol(source, linkage);
    }
}

/* Adds the functions on a path, and with `follow` those that each of them was written in: a lambda
 * may have been inlined elsewhere. */
static void add_path(struct keel_source *source, const struct keel_die_path *path, bool follow)
{
    struct keel_die_path declared;

    for (unsigned i = path->depth; i > 0; i--) {
        Dwarf_Die die = path->dies[i - 1];

        if (!keel_die_path_is_function(&die)) {
            continue;
        }
        add_function(source, &die);
        if (follow && die_path_to_die(declaration_of(&die), &declared)) {
            add_path(source, &declared, false);
        }
    }
}

/* The demangler is that of the C++ library, which C++ programs need anyway. It stays loaded:
 * dlclose() is intercepted by libkeel.so, which finds names before a library is unloaded, and whose
 * lock the caller holds. Calls are serialised, see source_lines.h. */
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
        name_text_cut_signature(name);
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

    /* libdwfl also returns the nearest symbol below, which is far away in a stripped file. */
    if (found == NULL || offset >= symbol.st_size || strlen(found) >= sizeof name) {
        return;
    }
    strcpy(name, found);
    name_text_cut_suffix(name);
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
