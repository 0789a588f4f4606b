/* SPDX-License-Identifier: Apache-2.0 */
/* One question under several policies, side by side. */
#include <string.h>

#include "explain/matrix.h"

enum { WIDTH = 100 };

#define BOLD  "\033[1m"
#define GREEN "\033[32m"
#define RED   "\033[31m"
#define PLAIN "\033[0m"

struct comparison {
    const nvfp4_moe_layer *layer;
    const nvfp4_device_key *device;
    const nvfp4_matrix_policy *policies;
    size_t count;
    int color;
    size_t name; /* width of the longest policy name */
    struct out *out;
};

static void paint(const struct comparison *c, const char *code)
{
    if (c->color)
        out_text(c->out, code);
}

static void padded(struct out *out, const char *text, size_t width)
{
    out_text(out, text);
    for (size_t n = strlen(text); n < width; n++)
        out_char(out, ' ');
}

static nvfp4_status judge(const struct comparison *c, size_t policy, nvfp4_verdicts *v)
{
    const nvfp4_deployment there = nvfp4_matrix_deployment(&c->policies[policy], c->device);
    const nvfp4_verdicts empty = NVFP4_VERDICTS_INIT;
    *v = empty;
    return nvfp4_judge(c->layer, &there, c->policies[policy].policy, v);
}

/* The kernel of a policy that has the same name as one of another; -1: it has none. */
static int32_t same_kernel(const struct comparison *c, size_t policy,
                           const nvfp4_kernel_info *named)
{
    nvfp4_kernel_info info;
    for (size_t k = 0; nvfp4_policy_kernel(c->policies[policy].policy, k, &info) == NVFP4_OK; k++)
        if (strcmp(info.backend_name, named->backend_name) == 0 &&
            strcmp(info.kernel_name, named->kernel_name) == 0)
            return (int32_t)k;
    return -1;
}

/* ---- what is chosen ---- */

static void write_choice(const struct comparison *c, size_t policy, const nvfp4_verdicts *v)
{
    const nvfp4_policy *rules = c->policies[policy].policy;
    padded(c->out, nvfp4_policy_name(rules), c->name + 2);
    paint(c, v->status == NVFP4_OK ? BOLD GREEN : BOLD RED);
    if (v->status == NVFP4_OK)
        nvfp4_out_kernel(c->out, rules, (size_t)v->selection.kernel);
    else if (v->status == NVFP4_EREFUSED) {
        out_text(c->out, "refused: ");
        out_text(c->out, nvfp4_policy_backend_name(rules, (nvfp4_backend)v->requested));
    } else {
        out_text(c->out, "no backend fits");
    }
    paint(c, PLAIN);
    if (v->status == NVFP4_OK && v->selection.scheme != c->layer->scheme) {
        out_text(c->out, ", runs ");
        out_text(c->out, nvfp4_scheme_name((nvfp4_scheme)v->selection.scheme));
    }
    if (v->warnings & 1u << NVFP4_WARNING_LIMIT_DROPPED)
        out_text(c->out, ", drops the limit");
    out_char(c->out, '\n');
}

/* ---- what each says of a kernel ---- */

static void write_findings(const struct comparison *c, size_t policy, int32_t kernel)
{
    const nvfp4_policy *rules = c->policies[policy].policy;
    const nvfp4_deployment there = nvfp4_matrix_deployment(&c->policies[policy], c->device);
    const size_t indent = c->name + 4;
    nvfp4_finding findings[FINDINGS_MAX];
    size_t count = 0;
    nvfp4_list_findings(c->layer, &there, rules, kernel, findings, FINDINGS_MAX, &count);
    for (size_t i = 0; i < count && i < FINDINGS_MAX; i++) {
        char text[2048];
        struct out sentence = out_begin(text, sizeof text);
        if (i != 0)
            padded(c->out, "", indent);
        padded(c->out, nvfp4_reason_name((nvfp4_reason)findings[i].reason), 19);
        nvfp4_out_finding_short(&sentence, rules, &findings[i]);
        out_end(&sentence);
        size_t column = indent + 19;
        for (const char *word = text; *word != '\0';) {
            const size_t length = strcspn(word, " ");
            if (column > indent + 19 && column + 1 + length > WIDTH) {
                out_char(c->out, '\n');
                padded(c->out, "", indent + 19);
                column = indent + 19;
            } else if (column > indent + 19) {
                out_char(c->out, ' ');
                column++;
            }
            for (size_t n = 0; n < length; n++)
                out_char(c->out, word[n]);
            column += length;
            word += length;
            word += strspn(word, " ");
        }
        out_char(c->out, '\n');
    }
}

static void write_kernel(const struct comparison *c, const nvfp4_kernel_info *info)
{
    out_char(c->out, '\n');
    paint(c, BOLD);
    out_text(c->out, info->backend_name);
    out_text(c->out, info->kernel_name[0] != '\0' ? "/" : "");
    out_text(c->out, info->kernel_name);
    paint(c, PLAIN);
    out_char(c->out, '\n');
    for (size_t p = 0; p < c->count; p++) {
        const int32_t k = same_kernel(c, p, info);
        nvfp4_verdicts v;
        out_text(c->out, "  ");
        padded(c->out, nvfp4_policy_name(c->policies[p].policy), c->name + 2);
        if (k < 0)
            out_text(c->out, "does not know it\n");
        else if (judge(c, p, &v) == NVFP4_OK && v.reasons[k] == 0)
            out_text(c->out, "fits\n");
        else
            write_findings(c, p, k);
    }
}

/* Do the policies give different reasons for it? */
static int judged_unlike(const struct comparison *c, const nvfp4_kernel_info *info)
{
    nvfp4_verdicts v;
    nvfp4_reason_set first = 0;
    for (size_t p = 0; p < c->count; p++) {
        const int32_t k = same_kernel(c, p, info);
        if (k < 0 || judge(c, p, &v) != NVFP4_OK)
            return 1;
        if (p != 0 && v.reasons[k] != first)
            return 1;
        first = v.reasons[k];
    }
    return 0;
}

/* Kernels in the order of the first policy that has them. */
static void write_differences(const struct comparison *c)
{
    int told = 0;
    for (size_t p = 0; p < c->count; p++) {
        nvfp4_kernel_info info;
        for (size_t k = 0; nvfp4_policy_kernel(c->policies[p].policy, k, &info) == NVFP4_OK; k++) {
            int known = 0;
            for (size_t before = 0; before < p; before++)
                known |= same_kernel(c, before, &info) >= 0;
            if (known || !judged_unlike(c, &info))
                continue;
            if (told++ == 0)
                out_text(c->out, "\nJudged differently\n");
            write_kernel(c, &info);
        }
    }
    if (!told)
        out_text(c->out, "\nEvery kernel is judged alike.\n");
}

nvfp4_status nvfp4_compare_text(const nvfp4_moe_layer *layer, const nvfp4_device_key *device,
                                const nvfp4_matrix_policy *policies, size_t count, int32_t color,
                                char *buffer, size_t capacity, size_t *length)
{
    struct out out = out_begin(buffer, capacity);
    struct comparison c = { layer, device, policies, count, color, 0, &out };
    nvfp4_verdicts v;
    if (layer == NULL || device == NULL || policies == NULL || count == 0 || length == NULL ||
        (buffer == NULL && capacity != 0))
        return NVFP4_EINVAL;
    for (size_t p = 0; p < count; p++) {
        const nvfp4_status status =
            policies[p].deployment != NULL ? judge(&c, p, &v) : NVFP4_EINVAL;
        const size_t width = strlen(nvfp4_policy_name(policies[p].policy));
        if (status != NVFP4_OK)
            return status;
        c.name = width > c.name ? width : c.name;
    }
    for (size_t p = 0; p < count; p++) {
        judge(&c, p, &v);
        write_choice(&c, p, &v);
    }
    if (count > 1)
        write_differences(&c);
    *length = out_end(&out);
    return NVFP4_OK;
}

nvfp4_status nvfp4_compare_json(const nvfp4_moe_layer *layer, const nvfp4_device_key *device,
                                const nvfp4_matrix_policy *policies, size_t count, char *buffer,
                                size_t capacity, size_t *length)
{
    struct out out = out_begin(buffer, capacity);
    const char *first = NULL;
    int differ = 0;
    if (layer == NULL || device == NULL || policies == NULL || count == 0 || length == NULL ||
        (buffer == NULL && capacity != 0))
        return NVFP4_EINVAL;
    out_text(&out, "{\"answers\":[");
    for (size_t p = 0; p < count; p++) {
        if (policies[p].deployment == NULL)
            return NVFP4_EINVAL;
        const nvfp4_deployment there = nvfp4_matrix_deployment(&policies[p], device);
        const size_t room = out.length < out.capacity ? out.capacity - out.length : 0;
        nvfp4_selection s = { .kernel = -1 };
        nvfp4_kernel_info info = { 0, 0, "", "", "" };
        size_t part = 0;
        out_text(&out, p == 0 ? "" : ",");
        const size_t left = room > (p != 0) ? room - (p != 0) : 0;
        const nvfp4_status status =
            nvfp4_explain_json(layer, &there, policies[p].policy, NULL,
                               left != 0 ? out.buffer + out.length : NULL, left, &part);
        if (status != NVFP4_OK)
            return status;
        out.length += part;
        if (nvfp4_select_backend(layer, &there, policies[p].policy, &s) == NVFP4_OK)
            nvfp4_policy_kernel(policies[p].policy, (size_t)s.kernel, &info);
        differ |= first != NULL && strcmp(first, info.backend_name) != 0;
        first = first != NULL ? first : info.backend_name;
    }
    out_text(&out, differ ? "],\"differ\":true}" : "],\"differ\":false}");
    *length = out_end(&out);
    return NVFP4_OK;
}
