/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/print.h"

#include "core/rule.h"

/* All that one answer is written from. */
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

static void key(struct out *out, const char *name)
{
    out_char(out, ',');
    nvfp4_out_json_string(out, name);
    out_char(out, ':');
}

static void pair(struct out *out, const char *name, const char *value)
{
    key(out, name);
    nvfp4_out_json_string(out, value);
}

/* Sizes and places are above 0; 0 means that none is known. */
static void write_size(struct out *out, const char *name, int64_t n)
{
    key(out, name);
    if (n > 0)
        out_number(out, (uint64_t)n);
    else
        out_text(out, "null");
}

static void write_forward(const struct answer *a)
{
    struct out *out = a->out;
    const nvfp4_forward *f = &a->forward;
    key(out, "activation");
    if (a->verdicts->status != NVFP4_OK) {
        out_text(out, "null");
        return;
    }
    out_text(out, "{\"limit\":");
    if (f->has_limit)
        nvfp4_out_real(out, f->limit);
    else
        out_text(out, "null");
    key(out, "alpha");
    nvfp4_out_real(out, f->alpha);
    key(out, "beta");
    nvfp4_out_real(out, f->beta);
    pair(out, "limit_space", nvfp4_limit_space_name((nvfp4_limit_space)f->limit_space));
    key(out, "after_activation");
    out_text(out, f->after_activation ? "true" : "false");
    out_char(out, '}');
    key(out, "layout");
    out_text(out, "{\"halves\":");
    if (f->halves != NVFP4_HALVES_AUTO)
        nvfp4_out_json_string(out, nvfp4_halves_name((nvfp4_halves)f->halves));
    else
        out_text(out, "null");
    write_size(out, "intermediate_per_rank", f->intermediate);
    write_size(out, "intermediate_per_rank_padded", f->intermediate_padded);
    write_size(out, "hidden_padded", f->hidden_padded);
    out_char(out, '}');
}

static void write_head(const struct answer *a)
{
    struct out *out = a->out;
    const nvfp4_verdicts *v = a->verdicts;
    const int ok = v->status == NVFP4_OK;
    nvfp4_kernel_info info = { 0, 0, NULL, NULL, NULL };
    out_text(out, "{\"status\":");
    nvfp4_out_json_string(out, ok                             ? "ok"
                         : v->status == NVFP4_EREFUSED ? "refused"
                                                        : "no_backend");
    key(out, "backend");
    if (ok && nvfp4_policy_kernel(a->policy, (size_t)v->selection.kernel, &info) == NVFP4_OK)
        nvfp4_out_json_string(out, info.backend_name);
    else
        out_text(out, "null");
    key(out, "kernel");
    if (ok)
        nvfp4_out_json_string(out, info.kernel_name);
    else
        out_text(out, "null");
    pair(out, "selected_by",
         a->deployment->requested == NVFP4_BACKEND_NONE ? "auto" : "explicit");
    key(out, "scheme");
    if (ok)
        nvfp4_out_json_string(out, nvfp4_scheme_name((nvfp4_scheme)v->selection.scheme));
    else
        out_text(out, "null");
    write_forward(a);
    key(out, "eligible");
    out_char(out, '[');
    nvfp4_out_backends(out, a->policy, v->eligible, ",", 1);
    out_char(out, ']');
}

/* What a writer of a finding's parts writes, as a JSON string. */
static void quote_finding(const struct answer *a,
                          void (*write)(struct out *, const nvfp4_policy *, const nvfp4_finding *),
                          const nvfp4_finding *f)
{
    char text[2048];
    struct out part = out_begin(text, sizeof text);
    write(&part, a->policy, f);
    out_end(&part);
    nvfp4_out_json_string(a->out, text);
}

static void write_finding(const struct answer *a, const nvfp4_finding *f, const char *kernel_source)
{
    struct out *out = a->out;
    out_text(out, "{\"code\":");
    nvfp4_out_json_string(out, nvfp4_reason_name((nvfp4_reason)f->reason));
    key(out, "need");
    quote_finding(a, nvfp4_out_need, f);
    key(out, "have");
    quote_finding(a, nvfp4_out_have, f);
    key(out, "text");
    quote_finding(a, nvfp4_out_finding, f);
    if (a->options->evidence)
        pair(out, "source", f->source != NULL ? f->source : kernel_source);
    out_char(out, '}');
}

static void write_candidate(const struct answer *a, size_t kernel, int *first)
{
    struct out *out = a->out;
    nvfp4_kernel_info info;
    nvfp4_finding findings[FINDINGS_MAX];
    size_t count = 0;
    if (nvfp4_policy_kernel(a->policy, kernel, &info) != NVFP4_OK)
        return;
    out_text(out, *first ? "{\"backend\":" : ",{\"backend\":");
    *first = 0;
    nvfp4_out_json_string(out, info.backend_name);
    pair(out, "kernel", info.kernel_name);
    key(out, "reasons");
    out_char(out, '[');
    if (a->verdicts->reasons[kernel] != 0)
        nvfp4_list_findings(a->layer, a->deployment, a->policy, (int32_t)kernel, findings,
                            FINDINGS_MAX, &count);
    for (size_t i = 0; i < count && i < FINDINGS_MAX; i++) {
        if (i != 0)
            out_char(out, ',');
        write_finding(a, &findings[i], info.source);
    }
    out_text(out, "]}");
}

/* By preference; the kernels of a backend asked for come first. */
static void write_candidates(const struct answer *a)
{
    struct out *out = a->out;
    const size_t n = (size_t)a->verdicts->kernel_count;
    const int asked = a->verdicts->requested;
    int first = 1;
    key(out, "candidates");
    out_char(out, '[');
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            nvfp4_kernel_info info;
            if (nvfp4_policy_kernel(a->policy, i, &info) == NVFP4_OK &&
                (info.backend == asked) == (pass == 0))
                write_candidate(a, i, &first);
        }
    out_char(out, ']');
}

static void write_remedies(const struct answer *a)
{
    struct out *out = a->out;
    nvfp4_remedy remedies[NVFP4_REMEDIES_MAX];
    size_t count = 0;
    nvfp4_find_remedies(a->layer, a->deployment, a->policy, remedies, &count);
    key(out, "remedies");
    out_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        const nvfp4_remedy *r = &remedies[i];
        out_text(out, i == 0 ? "{\"change\":\"" : ",{\"change\":\"");
        nvfp4_out_remedy_key(out, r);
        out_text(out, "\",\"from\":");
        nvfp4_out_remedy_value(out, a->deployment, a->policy, r, r->from);
        out_text(out, ",\"to\":");
        nvfp4_out_remedy_value(out, a->deployment, a->policy, r, r->to);
        pair(out, "status", "ok");
        pair(out, "backend",
             nvfp4_policy_backend_name(a->policy, (nvfp4_backend)r->backend));
        key(out, "text");
        char text[1024]; /* it quotes JSON values, so it is made first and escaped then */
        struct out sentence = out_begin(text, sizeof text);
        nvfp4_out_remedy(&sentence, a->deployment, a->policy, r);
        out_end(&sentence);
        nvfp4_out_json_string(out, text);
        out_char(out, '}');
    }
    out_char(out, ']');
}

static void write_warnings(const struct answer *a)
{
    struct out *out = a->out;
    const char *between = "";
    key(out, "warnings");
    out_char(out, '[');
    for (int w = 0; w < NVFP4_WARNING_COUNT; w++) {
        if (!(a->verdicts->warnings >> w & 1))
            continue;
        out_text(out, between);
        out_text(out, "{\"code\":");
        nvfp4_out_json_string(out, nvfp4_warning_name((nvfp4_warning)w));
        char text[1024];
        struct out sentence = out_begin(text, sizeof text);
        nvfp4_out_warning(&sentence, a->layer, a->deployment, a->verdicts, (nvfp4_warning)w);
        out_end(&sentence);
        pair(out, "text", text);
        out_char(out, '}');
        between = ",";
    }
    for (size_t i = 0; i < a->options->remark_count; i++) {
        out_text(out, between);
        out_text(out, "{\"code\":");
        nvfp4_out_json_string(out, nvfp4_warning_name((nvfp4_warning)a->options->remarks[i].warning));
        pair(out, "text", a->options->remarks[i].text);
        out_char(out, '}');
        between = ",";
    }
    out_char(out, ']');
}

static void write_tail(const struct answer *a)
{
    struct out *out = a->out;
    const char *between = "";
    key(out, "unchecked");
    out_char(out, '[');
    for (int r = 0; r < NVFP4_REASON_COUNT; r++)
        if (a->verdicts->unchecked & NVFP4_REASON_BIT(r)) {
            out_text(out, between);
            nvfp4_out_json_string(out, nvfp4_reason_name((nvfp4_reason)r));
            between = ",";
        }
    out_char(out, ']');
    pair(out, "policy", nvfp4_policy_name(a->policy));
    out_text(out, ",\"fingerprint\":\"");
    nvfp4_out_hex(out, a->fingerprint);
    out_text(out, "\"}");
}

nvfp4_status nvfp4_explain_json(const nvfp4_moe_layer *layer, const nvfp4_deployment *deployment,
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
    write_head(&a);
    write_candidates(&a);
    write_remedies(&a);
    write_warnings(&a);
    write_tail(&a);
    *length = out_end(&out);
    return NVFP4_OK;
}

size_t nvfp4_explain_invalid_json(const nvfp4_error *error, char *buffer, size_t capacity)
{
    struct out out = out_begin(buffer, capacity);
    out_text(&out, "{\"status\":\"invalid\",\"backend\":null,\"kernel\":null,\"scheme\":null,"
                   "\"error\":{\"message\":");
    nvfp4_out_json_string(&out, error->message);
    write_size(&out, "line", error->line);
    write_size(&out, "column", error->column);
    if (error->file[0] != '\0')
        pair(&out, "file", error->file);
    out_text(&out, "}}");
    return out_end(&out);
}
