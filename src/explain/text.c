/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/print.h"

#include <string.h>

#include "core/rule.h"

enum { WIDTH = 100, LABEL = 20 };

struct answer {
    const nvfp4_moe_layer *layer;
    const nvfp4_deployment *deployment;
    const nvfp4_policy *policy;
    const nvfp4_explain_options *options;
    const nvfp4_verdicts *verdicts;
    nvfp4_forward forward; /* where something was chosen */
    uint64_t fingerprint;
    struct out *out;
};

static void paint(const struct answer *a, const char *code)
{
    if (a->options->color)
        out_text(a->out, code);
}
#define GREEN "\033[32m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static void spaces(struct out *out, size_t n)
{
    while (n-- > 0)
        out_char(out, ' ');
}

/* Words of a text, broken before the right margin; further lines begin at `indent`. */
static void wrapped(struct out *out, const char *text, size_t column, size_t indent)
{
    while (*text != '\0') {
        const size_t word = strcspn(text, " ");
        if (column > indent && column + 1 + word > WIDTH) {
            out_char(out, '\n');
            spaces(out, indent);
            column = indent;
        } else if (column > indent) {
            out_char(out, ' ');
            column++;
        }
        for (size_t i = 0; i < word; i++)
            out_char(out, text[i]);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    out_char(out, '\n');
}

static void labelled(struct out *out, const char *label, const char *text)
{
    out_text(out, "  ");
    out_text(out, label);
    spaces(out, LABEL > strlen(label) ? LABEL - strlen(label) : 1);
    wrapped(out, text, LABEL + 2, LABEL + 2);
}

/* "w4a4, silu, limit 10.0" */
static void out_layer(struct out *out, const nvfp4_moe_layer *l)
{
    out_text(out, nvfp4_scheme_name((nvfp4_scheme)l->scheme));
    out_text(out, ", ");
    out_text(out, nvfp4_activation_name((nvfp4_activation)l->activation));
    if (l->has & NVFP4_HAS_SWIGLU_LIMIT) {
        out_text(out, ", limit ");
        nvfp4_out_real(out, l->swiglu_limit);
    } else {
        out_text(out, ", no limit");
    }
}

static void out_device_name(struct out *out, const nvfp4_deployment *d, const char *title)
{
    if (title != NULL) {
        out_text(out, title);
        out_text(out, ", ");
    }
    if (d->device.vendor == NVFP4_VENDOR_NVIDIA) {
        out_text(out, "sm ");
        out_number(out, (uint64_t)own_sm(d->device.sm));
    } else {
        out_text(out, nvfp4_vendor_name((nvfp4_vendor)d->device.vendor));
        out_text(out, d->device.arch[0] != '\0' ? " " : "");
        out_text(out, d->device.arch);
    }
}

static void write_verdict(const struct answer *a)
{
    struct out *out = a->out;
    const nvfp4_verdicts *v = a->verdicts;
    paint(a, v->status == NVFP4_OK ? BOLD GREEN : BOLD RED);
    if (v->status == NVFP4_OK)
        nvfp4_out_kernel(out, a->policy, (size_t)v->selection.kernel);
    else if (v->status == NVFP4_EREFUSED) {
        out_text(out, "refused: ");
        out_text(out, nvfp4_policy_backend_name(a->policy, (nvfp4_backend)v->requested));
        out_text(out, " cannot serve this request");
    } else {
        out_text(out, "no backend fits this request");
    }
    paint(a, PLAIN);
    out_text(out, "  (");
    out_device_name(out, a->deployment, a->options->title);
    out_text(out, "; ");
    out_layer(out, a->layer);
    out_text(out, ")\n\n");
}

static void write_forward(const struct answer *a)
{
    static const char *const halves[NVFP4_HALVES_COUNT] = {
        [NVFP4_HALVES_AUTO] = "one projection, no gate",
        [NVFP4_HALVES_GATE_UP] = "gate half, then up half",
        [NVFP4_HALVES_UP_GATE] = "up half, then gate half",
        [NVFP4_HALVES_GATE_UP_BY_1] = "gate and up row by row",
        [NVFP4_HALVES_UP_GATE_BY_1] = "up and gate row by row",
        [NVFP4_HALVES_GATE_UP_BY_64] = "64 rows of gate and of up by turns",
        [NVFP4_HALVES_UP_GATE_BY_64] = "64 rows of up and of gate by turns",
    };
    const nvfp4_forward *f = &a->forward;
    char text[512];
    struct out out = out_begin(text, sizeof text);
    if (f->limit_space == NVFP4_LIMIT_SPACE_FIXED) {
        out_text(&out, "nothing: the kernel has limit ");
        nvfp4_out_real(&out, f->limit);
        out_text(&out, ", alpha ");
        nvfp4_out_real(&out, f->alpha);
        out_text(&out, ", beta ");
        nvfp4_out_real(&out, f->beta);
        out_text(&out, " built in");
    } else {
        out_text(&out, f->has_limit ? "limit " : "no limit");
        if (f->has_limit)
            nvfp4_out_real(&out, f->limit);
        out_text(&out, ", alpha ");
        nvfp4_out_real(&out, f->alpha);
        out_text(&out, ", beta ");
        nvfp4_out_real(&out, f->beta);
        if (f->limit_space == NVFP4_LIMIT_SPACE_RAW_ACCUMULATOR)
            out_text(&out, "; limit and beta DIVIDED by the GEMM1 dequantisation scale of each expert");
    }
    if (f->after_activation)
        out_text(&out, "; the gate is clamped behind the SiLU");
    out_end(&out);
    labelled(a->out, "pass to the kernel", text);

    out = out_begin(text, sizeof text);
    out_text(&out, halves[f->halves]);
    if (f->intermediate_padded != f->intermediate) {
        out_text(&out, "; pad the width of each rank to ");
        out_number(&out, (uint64_t)f->intermediate_padded);
    }
    if (f->hidden_padded != a->layer->hidden_size) {
        out_text(&out, "; pad the hidden size to ");
        out_number(&out, (uint64_t)f->hidden_padded);
    }
    out_end(&out);
    labelled(a->out, "FC1 weights", text);
}

static void write_facts(const struct answer *a)
{
    const nvfp4_verdicts *v = a->verdicts;
    char text[1024];
    struct out out;
    if (v->status == NVFP4_OK) {
        out = out_begin(text, sizeof text);
        out_text(&out, nvfp4_scheme_name((nvfp4_scheme)v->selection.scheme));
        out_text(&out, v->selection.asked ? ", as asked for" : ", the first that fits in the order of preference");
        if (v->selection.backend == NVFP4_BACKEND_EMULATION)
            out_text(&out, "; emulated: dequantised first, GEMMs in 16 bits");
        out_end(&out);
        labelled(a->out, "runs", text);
        write_forward(a);
    }
    nvfp4_kernel_set others = v->eligible;
    for (size_t i = 0; i < (size_t)v->kernel_count; i++) {
        nvfp4_kernel_info info;
        if (v->status == NVFP4_OK && nvfp4_policy_kernel(a->policy, i, &info) == NVFP4_OK &&
            info.backend == v->selection.backend)
            others &= ~((nvfp4_kernel_set)1 << i);
    }
    out = out_begin(text, sizeof text);
    nvfp4_out_backends(&out, a->policy, others, ", ", 0);
    out_end(&out);
    labelled(a->out, v->status == NVFP4_OK ? "also eligible" : "eligible", others != 0 ? text : "nothing");
    out = out_begin(text, sizeof text);
    out_text(&out, nvfp4_policy_name(a->policy));
    out_text(&out, ", fingerprint ");
    nvfp4_out_hex(&out, a->fingerprint);
    out_end(&out);
    labelled(a->out, "policy", text);
    const char *between = "";
    out = out_begin(text, sizeof text);
    for (int r = 0; r < NVFP4_REASON_COUNT; r++)
        if (v->unchecked & NVFP4_REASON_BIT(r)) {
            out_text(&out, between);
            out_text(&out, nvfp4_reason_name((nvfp4_reason)r));
            between = ", ";
        }
    out_text(&out, " (a size or number it needs is not given)");
    out_end(&out);
    if (v->unchecked != 0)
        labelled(a->out, "not checked", text);
}

static void write_warnings(const struct answer *a)
{
    char text[1024];
    for (int w = 0; w < NVFP4_WARNING_COUNT; w++) {
        if (!(a->verdicts->warnings >> w & 1))
            continue;
        struct out out = out_begin(text, sizeof text);
        nvfp4_out_warning(&out, a->layer, a->deployment, a->verdicts, (nvfp4_warning)w);
        out_end(&out);
        paint(a, YELLOW);
        labelled(a->out, nvfp4_warning_name((nvfp4_warning)w), text);
        paint(a, PLAIN);
    }
    for (size_t i = 0; i < a->options->remark_count; i++) {
        const nvfp4_remark *r = &a->options->remarks[i];
        paint(a, YELLOW);
        labelled(a->out, nvfp4_warning_name((nvfp4_warning)r->warning), r->text);
        paint(a, PLAIN);
    }
}

static void write_remedies(const struct answer *a)
{
    nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
    size_t count = 0;
    nvfp4_find_remedies(a->layer, a->deployment, a->policy, remedies, &count);
    if (count == 0)
        return;
    out_text(a->out, a->verdicts->status == NVFP4_OK ? "\nTo run it as asked\n" : "\nWhat would help\n");
    for (size_t i = 0; i < count; i++) {
        char text[1024];
        struct out out = out_begin(text, sizeof text);
        nvfp4_out_remedy(&out, a->deployment, a->policy, &remedies[i]);
        out_end(&out);
        out_text(a->out, "  - ");
        wrapped(a->out, text, 4, 4);
    }
}

static void write_finding(const struct answer *a, const nvfp4_finding *f, size_t indent,
                          const char *kernel_source)
{
    enum { CODE = 19 };
    char text[2048];
    const char *code = nvfp4_reason_name((nvfp4_reason)f->reason);
    struct out out = out_begin(text, sizeof text);
    nvfp4_out_finding_short(&out, a->policy, f);
    out_end(&out);
    out_text(a->out, code);
    spaces(a->out, strlen(code) < CODE ? CODE - strlen(code) : 1);
    wrapped(a->out, text, indent + CODE, indent + CODE);
    if (a->options->evidence) {
        paint(a, DIM);
        spaces(a->out, indent + CODE);
        wrapped(a->out, f->source != NULL ? f->source : kernel_source, indent + CODE, indent + CODE);
        paint(a, PLAIN);
    }
}

static void write_candidate(const struct answer *a, size_t kernel)
{
    enum { NAME = 30 };
    nvfp4_finding findings[FINDINGS_MAX];
    nvfp4_kernel_info info;
    size_t count = 0;
    char name[128];
    struct out out = out_begin(name, sizeof name);
    if (nvfp4_policy_kernel(a->policy, kernel, &info) != NVFP4_OK ||
        nvfp4_list_findings(a->layer, a->deployment, a->policy, (int32_t)kernel, findings,
                            FINDINGS_MAX, &count) != NVFP4_OK)
        return;
    nvfp4_out_kernel(&out, a->policy, kernel);
    const size_t length = out_end(&out);
    for (size_t i = 0; i < count && i < FINDINGS_MAX; i++) {
        out_text(a->out, "  ");
        if (i == 0)
            out_text(a->out, name);
        if (i == 0 && length >= NAME) {
            out_char(a->out, '\n');
            spaces(a->out, NAME + 2);
        } else {
            spaces(a->out, NAME - (i == 0 ? length : 0));
        }
        write_finding(a, &findings[i], NAME + 2, info.source);
    }
}

static void write_candidates(const struct answer *a)
{
    const size_t n = (size_t)a->verdicts->kernel_count;
    out_text(a->out, "\nRuled out\n");
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            nvfp4_kernel_info info;
            if (a->verdicts->reasons[i] != 0 &&
                nvfp4_policy_kernel(a->policy, i, &info) == NVFP4_OK &&
                (info.backend == a->verdicts->requested) == (pass == 0))
                write_candidate(a, i);
        }
}

nvfp4_status nvfp4_explain_text(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
                                const nvfp4_policy *policy, const nvfp4_explain_options *options,
                                char *buffer, size_t capacity, size_t *length)
{
    const nvfp4_explain_options defaults = NVFP4_EXPLAIN_OPTIONS_INIT;
    nvfp4_verdicts verdicts = NVFP4_VERDICTS_INIT;
    if (length == NULL || (buffer == NULL && capacity != 0))
        return NVFP4_EINVAL;
    const nvfp4_status status = nvfp4_judge(layer, deployment, policy, &verdicts);
    if (status != NVFP4_OK)
        return status;
    uint64_t fingerprint = 0;
    nvfp4_fingerprint(layer, deployment, policy, &fingerprint);
    struct out out = out_begin(buffer, capacity);
    struct answer a = { layer,
                              deployment,
                              policy != NULL ? policy : nvfp4_policy_builtin(NULL),
                              options != NULL ? options : &defaults,
                              &verdicts,
                              { 0 },
                              fingerprint,
                              &out };
    if (verdicts.status == NVFP4_OK)
        nvfp4_forward_to(layer, deployment, policy, verdicts.selection.kernel, &a.forward);
    write_verdict(&a);
    write_facts(&a);
    write_warnings(&a);
    write_remedies(&a);
    write_candidates(&a);
    *length = out_end(&out);
    return NVFP4_OK;
}
