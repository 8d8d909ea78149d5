/* Whether a letter can be right. */
#include "mpi_backend/loop/message_check.h"

#include <math.h>
#include <stddef.h>

#include "mpi_backend/loop/node_window.h"

#define DRAW_MAX (UINT64_C(1) << 62) /* what one claim adds to a counter stays below */

static bool is_amount(double number)
{
    return number >= 0 && isfinite(number);
}

/* Up to N, where that is known. */
static bool fits(uint64_t number, const struct keel_letters_view *view)
{
    return view->iterations == KEEL_LETTERS_UNKNOWN || number <= view->iterations;
}

static const char *look_at_draw(const struct keel_letter *letter,
                                const struct keel_letters_view *view)
{
    bool sized = letter->left == 1;

    if (view->node != 0 || view->sender_node == 0) {
        return "a claim that goes to the first node from another one";
    }
    /* of a loop without iterations, a size is 1 */
    if (letter->last == 0 || letter->last > DRAW_MAX ||
        (sized && letter->last > 1 && !fits(letter->last, view))) {
        return "a claim within the loop";
    }
    return letter->left <= 1 && letter->measured <= 1 && is_amount(letter->mean_ns) &&
                   is_amount(letter->spread)
               ? NULL
               : "a claim with a pace";
}

static const char *look_at_grant(const struct keel_letter *letter,
                                 const struct keel_letters_view *view)
{
    if (view->sender_node != 0 || view->node == 0) {
        return "a grant from the first node to another one";
    }
    if (letter->last > DRAW_MAX || (letter->first > UINT64_MAX - letter->last)) {
        return "a grant within the loop";
    }
    return letter->measured <= view->ranks && is_amount(letter->speed) && is_amount(letter->spread)
               ? NULL
               : "a grant with a pace";
}

static const char *look_at_question(const struct keel_letter *letter,
                                    const struct keel_letters_view *view)
{
    return view->sender_node != view->node && letter->measured == 0 && fits(letter->left, view) &&
                   is_amount(letter->speed)
               ? NULL
               : "a question from another node";
}

static const char *look_at_give(const struct keel_letter *letter,
                                const struct keel_letters_view *view)
{
    bool nothing = letter->first == 0 && letter->last == 0;

    if (!nothing && (letter->first >= letter->last || !fits(letter->last, view))) {
        return "iterations within the loop";
    }
    return view->sender_node != view->node && letter->measured <= 1 && fits(letter->left, view) &&
                   is_amount(letter->speed)
               ? NULL
               : "an answer from another node";
}

static const char *look_at_count(const struct keel_letter *letter,
                                 const struct keel_letters_view *view)
{
    return view->leads && view->sender_leads && view->sender_node > 0 &&
                   (view->sender_node - 1) / 2 == view->node && fits(letter->first, view) &&
                   letter->last <= 1 && letter->left <= 1
               ? NULL
               : "a count from a node below";
}

static const char *look_at_end(const struct keel_letter *letter,
                               const struct keel_letters_view *view)
{
    return view->leads && view->sender_leads && view->node > 0 &&
                   (view->node - 1) / 2 == view->sender_node &&
                   (letter->left == KEEL_BOARD_OVER || letter->left == KEEL_BOARD_CANCELLED)
               ? NULL
               : "an end from the node above";
}

const char *keel_letters_problem(const struct keel_letter *letter,
                                 const struct keel_letters_view *view)
{
    if (letter->loop == 0 || letter->loop > view->newest + view->ahead) {
        return "one about a loop that there is or may be soon";
    }
    switch (letter->kind) {
    case KEEL_LETTER_DRAW:
        return look_at_draw(letter, view);
    case KEEL_LETTER_GRANT:
        return look_at_grant(letter, view);
    case KEEL_LETTER_ASK:
    case KEEL_LETTER_LOOK:
        return look_at_question(letter, view);
    case KEEL_LETTER_GIVE:
        return look_at_give(letter, view);
    case KEEL_LETTER_COUNT:
        return look_at_count(letter, view);
    case KEEL_LETTER_END:
        return look_at_end(letter, view);
    default:
        return "one of a kind that there is";
    }
}
