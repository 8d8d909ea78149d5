/* Which candidate a job script should have. */
#include "omp_ext/command/compare/recommendation.h"

bool keel_recommendation_is_plain(const struct keel_session *session, size_t candidate)
{
    return candidate == 0 || session->candidates->of[candidate].libgomp;
}

/* It changes something: a schedule of Keel's that no loop has come to does not. */
static bool has_effect(const struct keel_session *session, size_t candidate)
{
    const struct keel_candidate *of = &session->candidates->of[candidate];

    return keel_recommendation_is_plain(session, candidate) || session->of[candidate].reached ||
           of->schedule == NULL || of->sharing != NULL || of->balance != NULL;
}

/* Of those that may be chosen the fastest; the number of candidates: there is none. */
static size_t fastest(const struct keel_session *session, const struct keel_standings *standings,
                      bool plain)
{
    size_t none = session->candidates->count, found = none;

    for (size_t i = 0; i < none; i++) {
        if (standings->of[i].verdict == KEEL_STANDING_NONE || session->of[i].differing > 0 ||
            !has_effect(session, i) || (plain && !keel_recommendation_is_plain(session, i))) {
            continue;
        }
        if (found == none ||
            standings->of[i].to_first.median < standings->of[found].to_first.median) {
            found = i;
        }
    }
    return found;
}

/* What the ratio to something else says: worth it for sure, perhaps, or not. */
static enum keel_recommendation_kind kind_of(const struct keel_ratio *ratio, double matters)
{
    if (ratio->median > 1 - matters || keel_ratio_alike(ratio, matters)) {
        return KEEL_RECOMMENDATION_NOTHING;
    }
    return ratio->high < 1 ? KEEL_RECOMMENDATION_SURE : KEEL_RECOMMENDATION_UNSURE;
}

/* Another one than the reference has times. */
static bool any_beside(const struct keel_standings *standings, const struct keel_session *session)
{
    for (size_t i = 1; i < session->candidates->count; i++) {
        if (standings->of[i].verdict != KEEL_STANDING_NONE) {
            return true;
        }
    }
    return false;
}

struct keel_recommendation keel_recommendation_of(const struct keel_session *session,
                                                  const struct keel_standings *standings)
{
    double matters = session->request->matters;
    struct keel_recommendation told = {.candidate = fastest(session, standings, false),
                                       .beside = fastest(session, standings, true)};

    if (told.candidate == session->candidates->count || !any_beside(standings, session)) {
        return told;
    }
    if (told.candidate != told.beside) {
        told.ratio =
            keel_ratio_of(&session->samples, told.candidate, told.beside, &session->sequence);
        told.kind = kind_of(&told.ratio, matters);
        if (told.kind != KEEL_RECOMMENDATION_NOTHING) {
            return told;
        }
    }
    /* libgomp's own do as well */
    told.candidate = told.beside;
    told.ratio = standings->of[told.beside].to_first;
    told.kind = told.beside == 0 ? KEEL_RECOMMENDATION_NOTHING : kind_of(&told.ratio, matters);
    told.candidate = told.kind == KEEL_RECOMMENDATION_NOTHING ? 0 : told.beside;
    return told;
}
