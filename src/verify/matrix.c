/* SPDX-License-Identifier: Apache-2.0 */
#include "verify/numbers.h"

#include <math.h>
#include <string.h>

enum { TILE_ROWS = 128, TILE_SCALES = 4 };

static size_t round_up(size_t n, size_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

static nvfp4_status check(const nvfp4_matrix_format *format)
{
    if (format == NULL)
        return NVFP4_EINVAL;
    if (format->struct_size < offsetof(nvfp4_matrix_format, global_scale) + sizeof(double))
        return NVFP4_EABI;
    if (format->cols % NVFP4_BLOCK != 0 || !isfinite(format->global_scale) ||
        format->global_scale <= 0 || format->scale_order < 0 ||
        format->scale_order >= NVFP4_SCALE_ORDER_COUNT || format->global_kind < 0 ||
        format->global_kind >= NVFP4_GLOBAL_KIND_COUNT)
        return NVFP4_EINVAL;
    if (format->rows > SIZE_MAX / 2 - TILE_ROWS || format->cols > SIZE_MAX / 2 - 64 ||
        (format->cols != 0 && (format->rows + TILE_ROWS) > SIZE_MAX / (format->cols + 64) / 4))
        return NVFP4_ELIMIT;
    return NVFP4_OK;
}

nvfp4_status nvfp4_matrix_bytes(const nvfp4_matrix_format *format, size_t *codes, size_t *scales)
{
    nvfp4_status status = check(format);
    if (status != NVFP4_OK)
        return status;
    size_t rows = format->rows, blocks = format->cols / NVFP4_BLOCK;
    if (format->scale_order == NVFP4_SCALE_ORDER_128X4) {
        rows = round_up(rows, TILE_ROWS);
        blocks = round_up(blocks, TILE_SCALES);
    }
    if (codes != NULL)
        *codes = format->rows * (format->cols / 2);
    if (scales != NULL)
        *scales = rows * blocks;
    return NVFP4_OK;
}

/*
 * In a tile of 128 rows and 4 scales, 512 bytes long, rows 0, 32, 64 and 96 lie side by side, then
 * rows 1, 33, 65 and 97, and so on; the tiles follow each other along K.
 */
static size_t scale_at(const nvfp4_matrix_format *format, size_t row, size_t block)
{
    size_t blocks = format->cols / NVFP4_BLOCK;
    if (format->scale_order == NVFP4_SCALE_ORDER_LINEAR)
        return row * blocks + block;
    size_t tiles = round_up(blocks, TILE_SCALES) / TILE_SCALES;
    size_t tile = row / TILE_ROWS * tiles + block / TILE_SCALES;
    return tile * 512 + row % 32 * 16 + row % TILE_ROWS / 32 * 4 + block % TILE_SCALES;
}

nvfp4_status nvfp4_scale_offset(const nvfp4_matrix_format *format, size_t row, size_t block,
                                size_t *offset)
{
    nvfp4_status status = check(format);
    if (status != NVFP4_OK)
        return status;
    if (offset == NULL || row >= format->rows || block >= format->cols / NVFP4_BLOCK)
        return NVFP4_EINVAL;
    *offset = scale_at(format, row, block);
    return NVFP4_OK;
}

/*
 * One block. A value is code * scale * G, or code * scale / R. For a reciprocal both sides are
 * multiplied by R: a float times a double of a global scale is exact as long as that has 29 bits, a
 * float's 24 do.
 */
static uint8_t quantize_block(const float *values, double up, double unit, uint8_t *codes)
{
    double amax = 0;
    for (int i = 0; i < NVFP4_BLOCK; i++)
        if (fabs((double)values[i]) > amax) /* false for NaN */
            amax = fabs((double)values[i]);
    double scale = nvfp4_e4m3_nearest(amax * up, NVFP4_E2M1_MAX * unit);
    for (int i = 0; i < NVFP4_BLOCK; i++) {
        double x = values[i];
        unsigned code = isnan(x)     ? 7
                        : scale == 0 ? 0
                                     : nvfp4_e2m1_nearest(fabs(x) * up, scale * unit);
        if (signbit(x) && !isnan(x))
            code |= 8;
        if (i % 2 == 0)
            codes[i / 2] = (uint8_t)code;
        else
            codes[i / 2] = (uint8_t)(codes[i / 2] | code << 4);
    }
    return nvfp4_e4m3_encode(scale);
}

nvfp4_status nvfp4_quantize(const nvfp4_matrix_format *format, const float *values, uint8_t *codes,
                            uint8_t *scales)
{
    size_t scale_bytes = 0;
    nvfp4_status status = nvfp4_matrix_bytes(format, NULL, &scale_bytes);
    if (status != NVFP4_OK)
        return status;
    if (values == NULL || codes == NULL || scales == NULL)
        return NVFP4_EINVAL;
    int reciprocal = format->global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL;
    double up = reciprocal ? format->global_scale : 1;
    double unit = reciprocal ? 1 : format->global_scale;
    memset(scales, 0, scale_bytes);
    for (size_t row = 0; row < format->rows; row++)
        for (size_t block = 0; block < format->cols / NVFP4_BLOCK; block++) {
            size_t at = row * format->cols + block * NVFP4_BLOCK;
            scales[scale_at(format, row, block)] =
                quantize_block(values + at, up, unit, codes + at / 2);
        }
    return NVFP4_OK;
}

nvfp4_status nvfp4_dequantize(const nvfp4_matrix_format *format, const uint8_t *codes,
                              const uint8_t *scales, float *values)
{
    nvfp4_status status = check(format);
    if (status != NVFP4_OK)
        return status;
    if (values == NULL || codes == NULL || scales == NULL)
        return NVFP4_EINVAL;
    int reciprocal = format->global_kind == NVFP4_GLOBAL_KIND_RECIPROCAL;
    for (size_t row = 0; row < format->rows; row++)
        for (size_t block = 0; block < format->cols / NVFP4_BLOCK; block++) {
            double scale = nvfp4_e4m3_decode(scales[scale_at(format, row, block)]);
            size_t at = row * format->cols + block * NVFP4_BLOCK;
            for (size_t i = at; i < at + NVFP4_BLOCK; i++) {
                double x = nvfp4_e2m1_decode((uint8_t)(codes[i / 2] >> (i % 2 * 4))) * scale;
                values[i] =
                    (float)(reciprocal ? x / format->global_scale : x * format->global_scale);
            }
        }
    return NVFP4_OK;
}
