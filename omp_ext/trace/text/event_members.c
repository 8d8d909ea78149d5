/* The text of events. */
#include "omp_ext/trace/text/event_members.h"

#define CLOSING 4       /* bytes that stay for what ends the text */
#define NUMBER_SHOWN 32 /* at most, of a number with what is around it */
#define STRING_SHOWN 1000
#define NAME_SHOWN 100

static void add_name(struct keel_members *members, const char *name)
{
    struct keel_json_text *json = &members->json;

    if (members->any) {
        KEEL_JSON_TEXT_ADD(json, ",");
    }
    members->any = true;
    keel_json_text_string(json, name, NAME_SHOWN);
    KEEL_JSON_TEXT_ADD(json, ":");
}

/* Whether a member has room whose value needs `length` bytes. */
static bool has_room(const struct keel_members *members, const char *name, size_t length)
{
    return keel_json_text_room(&members->json) >= 6 * strnlen(name, NAME_SHOWN) + 4 + length;
}

void keel_members_begin(struct keel_members *members, const char *name, const char *category,
                        const char *kind, const char *id)
{
    struct keel_json_text *json = &members->json;

    *json = keel_json_text_in(members->memory, sizeof members->memory - CLOSING);
    members->any = false;
    KEEL_JSON_TEXT_ADD(json, "\"name\":");
    keel_json_text_string(json, name, NAME_SHOWN);
    if (category != NULL) {
        KEEL_JSON_TEXT_ADD(json, ",\"cat\":");
        keel_json_text_string(json, category, NAME_SHOWN);
    }
    KEEL_JSON_TEXT_ADD(json, ",\"ph\":");
    keel_json_text_string(json, kind, NAME_SHOWN);
    if (*kind == 'i') {
        KEEL_JSON_TEXT_ADD(json, ",\"s\":\"t\"");
    }
    if (id != NULL) {
        KEEL_JSON_TEXT_ADD(json, ",\"id\":");
        keel_json_text_add(json, id, strlen(id));
    }
    KEEL_JSON_TEXT_ADD(json, ",\"args\":{");
}

void keel_members_json(struct keel_members *members, const char *name, const char *value)
{
    if (has_room(members, name, strlen(value))) {
        add_name(members, name);
        keel_json_text_add(&members->json, value, strlen(value));
    }
}

void keel_members_string(struct keel_members *members, const char *name, const char *value)
{
    if (value != NULL && has_room(members, name, 8)) {
        add_name(members, name);
        keel_json_text_string(&members->json, value, STRING_SHOWN);
    }
}

void keel_members_whole(struct keel_members *members, const char *name, uint64_t value)
{
    if (has_room(members, name, NUMBER_SHOWN)) {
        add_name(members, name);
        keel_json_text_whole(&members->json, value);
    }
}

void keel_members_real(struct keel_members *members, const char *name, double value)
{
    if (has_room(members, name, NUMBER_SHOWN)) {
        add_name(members, name);
        keel_json_text_real(&members->json, value);
    }
}

uint64_t keel_members_end(struct keel_members *members)
{
    members->json.end += CLOSING;
    KEEL_JSON_TEXT_ADD(&members->json, "}");
    return keel_json_text_length(&members->json);
}
