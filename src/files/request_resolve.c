/* SPDX-License-Identifier: Apache-2.0 */
/* What depends on more than one key: names under the policy, devices, the request as a whole. */
#include "files/request_parts.h"

#include <stdio.h>
#include <string.h>

#include "files/nearest.h"

/* ---- names ---- */

static nvfp4_status resolve_backend(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_BACKEND];
    nvfp4_backend backend = NVFP4_BACKEND_NONE;
    if (note->node == NULL || nvfp4_policy_find_backend(r->policy, note->node->text, &backend) ==
                                  NVFP4_OK) {
        r->deployment.requested = (int32_t)backend;
        return NVFP4_OK;
    }
    nvfp4_nearest search;
    char excerpt[NVFP4_EXCERPT], list[160] = "auto", where[80];
    const char *name;
    nvfp4_nearest_begin(&search, nvfp4_excerpt(note->node->text, note->node->length, excerpt));
    for (size_t i = 0; (name = nvfp4_policy_user_name_at(r->policy, i)) != NULL; i++) {
        nvfp4_nearest_offer(&search, name);
        nvfp4_request_list(list, name);
    }
    snprintf(where, sizeof where, " in policy %s", nvfp4_policy_name(r->policy));
    return nvfp4_request_unknown_name(note, "backend", where, search.best, list, error);
}

/* Every name of the policy's backends: upper case, the user's, and with `kernels` BACKEND/kernel.
 * Offered names must outlive the search: those of kernels are put together in `arena`. */
static nvfp4_status unknown_kernel(nvfp4_request *r, const struct request_note *note,
                                   const char *kind, const char *where, int kernels,
                                   nvfp4_error *error)
{
    nvfp4_nearest search;
    char excerpt[NVFP4_EXCERPT], text[96];
    const char *name;
    nvfp4_kernel_info info;
    nvfp4_nearest_begin(&search, nvfp4_excerpt(note->node->text, note->node->length, excerpt));
    for (size_t i = 0; (name = nvfp4_policy_user_name_at(r->policy, i)) != NULL; i++)
        nvfp4_nearest_offer(&search, name);
    for (size_t i = 0; nvfp4_policy_kernel(r->policy, i, &info) == NVFP4_OK; i++) {
        nvfp4_nearest_offer(&search, info.backend_name);
        if (!kernels || *info.kernel_name == '\0')
            continue;
        snprintf(text, sizeof text, "%s/%s", info.backend_name, info.kernel_name);
        name = nvfp4_arena_copy(&r->arena, text, strlen(text));
        if (name != NULL)
            nvfp4_nearest_offer(&search, name);
    }
    return nvfp4_request_unknown_name(note, kind, where, search.best, "", error);
}

static struct request_note item_of(const struct request_note *list, const nvfp4_node *node)
{
    return (struct request_note){ node, list->document, list->placed };
}

/* Backends of the policy among these kernels. */
static nvfp4_backend_set backends_of(const nvfp4_policy *policy, nvfp4_kernel_set kernels)
{
    nvfp4_backend_set set = 0;
    nvfp4_kernel_info info;
    for (size_t i = 0; nvfp4_policy_kernel(policy, i, &info) == NVFP4_OK; i++)
        if (kernels >> i & 1)
            set |= NVFP4_BACKEND_BIT(info.backend);
    return set;
}

static nvfp4_status resolve_built(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_BUILT];
    r->deployment.not_built = 0;
    if (note->node == NULL)
        return NVFP4_OK;
    nvfp4_backend_set built = 0;
    for (const nvfp4_node *n = note->node->first; n != NULL; n = n->next) {
        nvfp4_kernel_set kernels = 0;
        if (strchr(n->text, '/') == NULL &&
            nvfp4_policy_find_kernels(r->policy, n->text, &kernels) == NVFP4_OK) {
            built |= backends_of(r->policy, kernels);
        } else if (nvfp4_backend_from_name(n->text) == NVFP4_BACKEND_NONE) {
            /* An engine may have backends that the policy does not know, but they must be some. */
            const struct request_note item = item_of(note, n);
            return unknown_kernel(r, &item, "backend", " in deployment.built", 0, error);
        }
    }
    r->deployment.not_built = backends_of(r->policy, ~(nvfp4_kernel_set)0) & ~built;
    return NVFP4_OK;
}

static nvfp4_status resolve_disable(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_DISABLE];
    r->deployment.disabled = 0;
    if (note->node == NULL)
        return NVFP4_OK;
    for (const nvfp4_node *n = note->node->first; n != NULL; n = n->next) {
        nvfp4_kernel_set kernels;
        if (nvfp4_policy_find_kernels(r->policy, n->text, &kernels) != NVFP4_OK) {
            const struct request_note item = item_of(note, n);
            return unknown_kernel(r, &item, "kernel", " in deployment.disable", 1, error);
        }
        r->deployment.disabled |= kernels;
    }
    return NVFP4_OK;
}

static nvfp4_status resolve_errata(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_ERRATA_OFF];
    r->deployment.errata_off = 0;
    if (note->node == NULL)
        return NVFP4_OK;
    for (const nvfp4_node *n = note->node->first; n != NULL; n = n->next) {
        nvfp4_nearest search;
        nvfp4_erratum_info info;
        uint64_t bit = 0;
        char list[160] = "", where[80];
        nvfp4_nearest_begin(&search, n->text);
        for (size_t i = 0; nvfp4_policy_erratum(r->policy, i, &info) == NVFP4_OK; i++) {
            nvfp4_nearest_offer(&search, info.name);
            nvfp4_request_list(list, info.name);
            if (strcmp(info.name, n->text) == 0)
                bit = (uint64_t)1 << i;
        }
        if (bit == 0) {
            const struct request_note item = item_of(note, n);
            snprintf(where, sizeof where, " in policy %s", nvfp4_policy_name(r->policy));
            return nvfp4_request_unknown_name(&item, "erratum", where, search.best, list, error);
        }
        r->deployment.errata_off |= bit;
    }
    return NVFP4_OK;
}

/* ---- devices ---- */

static nvfp4_status resolve_targets(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_BUILT_ARCHS];
    r->deployment.targets = NULL;
    r->deployment.target_count = 0;
    if (note->node == NULL)
        return NVFP4_OK;
    if (note->node->count == 0)
        return nvfp4_request_fail(note, error, 0,
                                  "deployment.built_archs names no target; leave it out for "
                                  "the device's own");
    nvfp4_target *const targets =
        nvfp4_arena_take(&r->arena, note->node->count * sizeof *targets);
    if (targets == NULL)
        return nvfp4_request_no_memory(error);
    size_t count = 0;
    for (const nvfp4_node *n = note->node->first; n != NULL; n = n->next) {
        if (nvfp4_target_parse(n->text, &targets[count++]) != NVFP4_OK) {
            const struct request_note item = item_of(note, n);
            char excerpt[NVFP4_EXCERPT];
            return nvfp4_request_fail(&item, error, 0,
                                      "'%s' in deployment.built_archs is no CUDA target; expected "
                                      "one such as 90a, 100f, 120",
                                      nvfp4_excerpt(n->text, n->length, excerpt));
        }
    }
    r->deployment.targets = targets;
    r->deployment.target_count = count;
    return NVFP4_OK;
}

static nvfp4_status resolve_device(nvfp4_request *r, nvfp4_error *error)
{
    r->device_name = "";
    if (r->device_set) {
        r->deployment.device = r->set_device;
        r->device_name = r->set_name;
        return NVFP4_OK;
    }
    return nvfp4_request_read_device(r, r->notes, &r->root, "device", &r->deployment.device,
                                     &r->device_name, error);
}

static nvfp4_status resolve_peers(nvfp4_request *r, nvfp4_error *error)
{
    const struct request_note *const note = &r->notes[SLOT_DEVICES];
    r->deployment.peers = NULL;
    r->deployment.peer_count = 0;
    if (note->node == NULL) {
        if (r->device_set && r->set_rank_count > 0) {
            r->deployment.peers = r->set_ranks;
            r->deployment.peer_count = r->set_rank_count;
        }
        return NVFP4_OK;
    }
    if (note->node->count == 0)
        return NVFP4_OK;
    nvfp4_device_key *const peers = nvfp4_arena_take(&r->arena, note->node->count * sizeof *peers);
    if (peers == NULL)
        return nvfp4_request_no_memory(error);
    size_t count = 0;
    for (const nvfp4_node *n = note->node->first; n != NULL; n = n->next) {
        struct request_note parts[SLOT_DEVICE_PARTS];
        const struct request_reader reader = { r, note->document, note->placed, parts, error };
        const struct request_note item = item_of(note, n);
        memset(parts, 0, sizeof parts);
        nvfp4_status status = nvfp4_request_read_section(&reader, SECTION_DEVICE, n);
        if (status == NVFP4_OK)
            status = nvfp4_request_read_device(r, parts, &item, "a device of deployment.devices",
                                               &peers[count++], NULL, error);
        if (status != NVFP4_OK)
            return status;
    }
    r->deployment.peers = peers;
    r->deployment.peer_count = count;
    return NVFP4_OK;
}

/* ---- the whole ---- */

static nvfp4_status check_whole(nvfp4_request *r, nvfp4_error *error)
{
    const nvfp4_moe_layer *const layer = &r->layer;
    const nvfp4_deployment *const d = &r->deployment;
    if (layer->num_experts != 0 && layer->top_k > layer->num_experts)
        return nvfp4_request_fail(r->notes[SLOT_TOP_K].node != NULL ? &r->notes[SLOT_TOP_K]
                                                                    : &r->root,
                                  error, 0, "layer.top_k is %lld but there are only %lld experts",
                                  (long long)layer->top_k, (long long)layer->num_experts);
    if ((int64_t)d->tensor_parallel * d->data_parallel > INT32_MAX / d->context_parallel)
        return nvfp4_request_fail(&r->root, error, 0,
                                  "deployment: %ld x %ld x %ld ranks are more than this library "
                                  "counts",
                                  (long)d->tensor_parallel, (long)d->data_parallel,
                                  (long)d->context_parallel);
    /* Whatever else the library takes as wrong must be said here, not after the decision. */
    nvfp4_selection selection;
    const nvfp4_status status = nvfp4_select_backend(layer, d, r->policy, &selection);
    if (status == NVFP4_EINVAL || status == NVFP4_EABI)
        return nvfp4_request_fail(&r->root, error, 0, "the request is outside what is decided: %s",
                                  nvfp4_status_text(status));
    return NVFP4_OK;
}

nvfp4_status nvfp4_request_resolve(nvfp4_request *request, nvfp4_error *error)
{
    static nvfp4_status (*const steps[])(nvfp4_request *, nvfp4_error *) = {
        nvfp4_request_resolve_policy,
        nvfp4_request_resolve_own,
        resolve_backend,
        resolve_device,
        resolve_peers,
        resolve_built,
        resolve_targets,
        resolve_disable,
        resolve_errata,
        check_whole,
    };
    const struct request_note nowhere = { NULL, NULL, 0 };
    if (request == NULL) {
        nvfp4_request_fail(&nowhere, error, 0, "no request");
        return NVFP4_EINVAL;
    }
    nvfp4_arena_free(&request->arena);
    nvfp4_status status = NVFP4_OK;
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == NVFP4_OK; i++)
        status = steps[i](request, error);
    return status;
}
