/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/diff_words.h"

#define BOLD     "\033[1m"
#define GREEN    "\033[32m"
#define RED      "\033[31m"
#define YELLOW   "\033[33m"
#define DIM_TEXT "\033[2m"
#define PLAIN    "\033[0m"

static const nvfp4_diff_print defaults = NVFP4_DIFF_PRINT_INIT;

struct page {
    const struct nvfp4_diff *diff;
    const nvfp4_diff_print *options;
    uint64_t known; /* devices that exist; 0: all */
    struct out *out;
};

static void paint(const struct page *p, const char *code)
{
    if (p->options->color)
        out_text(p->out, code);
}

/* Is it about a device that exists? */
static int exists(const struct page *p, const struct diff_region *r)
{
    return p->known == 0 || (r->values.set[DIM_DEVICE] & p->known) != 0;
}

/* Has it something to say that other regions have not said? */
static int is_news(const struct page *p, const struct diff_region *r)
{
    return r->told != 0 && (p->known == 0 || (r->told & p->known) != 0);
}

/* The keys of a region that a line of text tells: those people think in, and what is unusual. */
static int tells(const struct diff_space *space, const struct diff_box *values, int dim)
{
    if (!nvfp4_diff_restricts(space, values, dim))
        return 0;
    if (dim == DIM_ASKED)
        return values->set[dim] != 1;
    return nvfp4_diff_is_main(dim) || !(values->set[dim] & 1);
}

static void write_region(const struct page *p, const struct diff_region *r)
{
    const char *between = "";
    struct diff_box values = r->values;
    values.set[DIM_DEVICE] = r->told;
    for (int i = 0; i < DIMS; i++) {
        /* what was asked for is told behind the layer */
        const int dim = i == DIM_ASKED        ? DIM_SCHEME
                        : i == DIM_SCHEME     ? DIM_ACTIVATION
                        : i == DIM_ACTIVATION ? DIM_LIMIT
                        : i == DIM_LIMIT      ? DIM_ASKED
                                              : i;
        if (!tells(&p->diff->space, &values, dim))
            continue;
        out_text(p->out, between);
        nvfp4_diff_out_words(p->out, &p->diff->space, &values, dim, p->known);
        between = ", ";
    }
    if (*between == '\0')
        out_text(p->out, "every request");
    out_text(p->out, ": ");
    paint(p, r->from < OUTCOME_FIRST ? YELLOW : BOLD);
    nvfp4_diff_out_outcome(p->out, p->diff, r->from);
    paint(p, PLAIN);
    out_text(p->out, " -> ");
    paint(p, r->to < OUTCOME_FIRST ? RED : GREEN);
    nvfp4_diff_out_outcome(p->out, p->diff, r->to);
    paint(p, PLAIN);
    out_char(p->out, '\n');
}

static void write_unchanged(const struct page *p, const struct diff_box *all)
{
    const struct diff_space *space = &p->diff->space;
    paint(p, DIM_TEXT);
    for (int dim = 0; dim <= DIM_LIMIT; dim++) {
        struct diff_box rest = *all;
        rest.set[dim] = DIM_SET_ALL(space, dim) & ~all->set[dim];
        if (dim == DIM_DEVICE && p->known != 0)
            rest.set[dim] &= p->known;
        if (dim == DIM_DEVICE)
            rest.set[dim] &= ~SM(101);
        if (rest.set[dim] == 0)
            continue;
        nvfp4_diff_out_words(p->out, space, &rest, dim, p->known);
        out_text(p->out, ": no change\n");
    }
    paint(p, PLAIN);
}

static void write_common(const struct page *p, const struct diff_box *all)
{
    const char *between = "All changes are limited to: ";
    for (int dim = DIM_LIMIT + 1; dim < DIMS; dim++) {
        if (!nvfp4_diff_restricts(&p->diff->space, all, dim))
            continue;
        out_text(p->out, between);
        nvfp4_diff_out_words(p->out, &p->diff->space, all, dim, p->known);
        between = ", ";
    }
    if (*between == ',')
        out_char(p->out, '\n');
}

static void write_rest(const struct page *p, int told)
{
    int unknown_cards = 0;
    for (int i = 0; i < p->diff->count; i++)
        unknown_cards += !exists(p, &p->diff->regions[i]);
    const int hidden = p->diff->count - told - unknown_cards;
    if (hidden != 0) {
        out_text(p->out, "... and ");
        out_number(p->out, (uint64_t)hidden);
        out_text(p->out, hidden == 1 ? " region" : " regions");
        out_text(p->out, " of rarer requests\n");
    }
    if (unknown_cards != 0) {
        out_text(p->out, "... and ");
        out_number(p->out, (uint64_t)unknown_cards);
        out_text(p->out, unknown_cards == 1 ? " region" : " regions");
        out_text(p->out, " of SMs that no known card has\n");
    }
}

static uint64_t known_devices(const nvfp4_diff_print *options)
{
    uint64_t known = 0;
    for (size_t i = 0; i < options->device_count; i++)
        known |= nvfp4_question_device_bit(&options->devices[i]);
    return known != 0 ? known | DEVICE_AMD | DEVICE_INTEL : 0;
}

size_t nvfp4_diff_text(const nvfp4_diff *diff, const nvfp4_diff_print *options, char *buffer,
                       size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    if (options == NULL)
        options = &defaults;
    const struct page p = { diff, options, known_devices(options), &out };
    struct diff_box all;
    int told = 0;
    if (diff == NULL)
        return out_end(&out);
    paint(&p, BOLD);
    out_text(&out, nvfp4_policy_name(diff->space.policy[0]));
    out_text(&out, " -> ");
    out_text(&out, nvfp4_policy_name(diff->space.policy[1]));
    paint(&p, PLAIN);
    if (diff->count == 0) {
        out_text(&out, ": no change, every request is answered alike\n");
        return out_end(&out);
    }
    out_text(&out, ": the answer changes in ");
    out_number(&out, (uint64_t)diff->count);
    out_text(&out, diff->count == 1 ? " region\n\n" : " regions\n\n");
    for (int i = 0; i < diff->count; i++) {
        if (!is_news(&p, &diff->regions[i]) || (p.options->most > 0 && told == p.options->most))
            continue;
        write_region(&p, &diff->regions[i]);
        told++;
    }
    write_rest(&p, told);
    out_char(&out, '\n');
    nvfp4_diff_unite(diff, &all);
    write_unchanged(&p, &all);
    write_common(&p, &all);
    return out_end(&out);
}
