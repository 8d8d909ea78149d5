/* Entries around an entry, and around code. See source_inside.h. */
#include "omp_ext/source/source_inside.h"

#include <dwarf.h>

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

/* Depth-first below the last entry of `path`, which grows by what was found. The recursion ends at
 * KEEL_DIE_PATH_DEPTH. */
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

/* With -gsplit-dwarf the entries stand in a .dwo file; the unit in the program is a skeleton. */
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

/* The child that is the entry at `target` or has it below: the last one that does not begin after
 * it, since entries are stored depth-first. */
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

bool keel_die_path_to_die(Dwarf_Die die, struct keel_die_path *path)
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
