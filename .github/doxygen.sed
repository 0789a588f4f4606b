# SPDX-License-Identifier: Apache-2.0
# What the headers say once and Doxygen wants at every place.
s|^typedef enum nvfp4_.* {$|/** The values are the rows of the map above, which says what they mean. */ &|
s|^ *size_t struct_size;$|& /**< as the initialiser sets it */|
s|^#define NVFP4_[A-Z_]*_INIT .*|/** What to begin with. */\n&|
s|::\(NVFP4_[A-Z]\)|\1|g
