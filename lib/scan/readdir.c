/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One directory, in the order in which readdir gives its names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan/halfmd4.h"
#include "scan/internal.h"
#include "scan/readdir.h"

#define AT(field) (raw + offsetof(struct ext2_inode_large, field))

#define HTREE_EOF 0x7fffffffu	/* k: EXT4_HTREE_EOF_32BIT */
#define DX_HASH_VERSION_AT 28	/* in an htree root, behind "." and ".." */

struct reader {
	const struct e2s_fs *fs;
	struct e2s_names *out;
	unsigned flags;		/* enum e2s_readdir_flag */
	uint8_t *block;
	uint32_t dir_flags;
	int hash_version;	/* -1: the names stay as they come */
	struct e2s_halfmd4 waiting[E2S_HALFMD4_NAMES];	/* to be hashed at */
	size_t waiting_at[E2S_HALFMD4_NAMES];		/* once; in out->v */
	unsigned waiting_n;
	struct e2s_where *where;
};

/* k: is_dx_dir */
static int is_hashed(const struct e2s_fs *fs, const uint8_t *raw)
{
	uint32_t flags = e2s_get_le32(AT(i_flags));

	return ext2fs_has_feature_dir_index(fs->ext2->super) &&
	       (flags & (EXT2_INDEX_FL | EXT4_INLINE_DATA_FL) ||
		e2s_inode_size(raw) / fs->geo.block_size == 1);
}

static int with_sign(const struct e2s_fs *fs, int version)
{
	/* k: s_hash_unsigned, 3 lifts a version to its unsigned twin. */
	if (version <= EXT2_HASH_TEA &&
	    fs->ext2->super->s_flags & EXT2_FLAGS_UNSIGNED_HASH)
		return version + 3;
	return version;
}

static void set_hash(struct e2s_name *name, uint32_t hash, uint32_t minor)
{
	name->hash = hash == HTREE_EOF << 1 ? (HTREE_EOF - 1) << 1 : hash;
	name->minor = minor;
}

static void hash_waiting(struct reader *r)
{
	const struct e2s_halfmd4 *done = r->waiting;
	const size_t *at = r->waiting_at;

	if (!r->waiting_n)
		return;
	e2s_halfmd4(r->waiting, r->waiting_n, r->fs->ext2->super->s_hash_seed,
		    r->hash_version == EXT2_HASH_HALF_MD4_UNSIGNED);
	for (; r->waiting_n; r->waiting_n--, done++, at++)
		set_hash(&r->out->v[*at], done->hash, done->minor);
}

/* Hashes the name number AT, sooner or later: see hash_waiting(). */
static void hash_name(struct reader *r, const struct e2s_dirent *entry, size_t at)
{
	static const uint32_t both = EXT4_ENCRYPT_FL | EXT4_CASEFOLD_FL;
	struct e2s_name *name = &r->out->v[at];
	uint32_t hash, minor;
	const uint8_t *stored;

	name->hash = name->minor = 0;
	if (r->hash_version < 0)
		return;
	if ((r->dir_flags & both) == both) {
		/* k: EXT4_DIRENT_HASH, behind the padded name */
		stored = entry->at + ((8 + entry->name_len + 3) & ~3u);
		name->hash = e2s_get_le32(stored);
		name->minor = e2s_get_le32(stored + 4);
		return;
	}
	if ((r->hash_version == EXT2_HASH_HALF_MD4 ||
	     r->hash_version == EXT2_HASH_HALF_MD4_UNSIGNED) &&
	    !(r->dir_flags & EXT4_CASEFOLD_FL) &&
	    entry->name_len <= E2S_HALFMD4_LEN) {
		r->waiting_at[r->waiting_n] = at;
		r->waiting[r->waiting_n++] = (struct e2s_halfmd4){
			.name = (const uint8_t *)entry->name,
			.len = entry->name_len };
		if (r->waiting_n == E2S_HALFMD4_NAMES)
			hash_waiting(r);
		return;
	}
	ext2fs_dirhash2(r->hash_version, entry->name, entry->name_len,
			r->fs->ext2->encoding,
			(int)(r->dir_flags & EXT4_CASEFOLD_FL),
			r->fs->ext2->super->s_hash_seed, &hash, &minor);
	set_hash(name, hash, minor);
}

/* Room for WANT names, and for as many to sort them into. */
static errcode_t make_room(struct e2s_names *names, size_t want)
{
	struct e2s_name *memory;

	if (want <= names->room)
		return 0;
	if (want > SIZE_MAX / 2 / sizeof(*memory))
		return ENOMEM;
	memory = e2s_large_malloc(2 * want * sizeof(*memory));
	if (!memory)
		return ENOMEM;
	if (names->n)
		memcpy(memory, names->v, names->n * sizeof(*memory));
	free(names->memory);
	names->v = names->memory = memory;
	names->spare = memory + want;
	names->room = want;
	return 0;
}

/* At first for as many as there may well be: names have about eight bytes. */
static errcode_t make_first_room(const struct e2s_scan *scan, const uint8_t *raw,
				 struct e2s_names *names)
{
	uint64_t likely = e2s_inode_size(raw) / 16 + 16;
	uint64_t most = scan->inodes_used + 4096;

	return make_room(names, (size_t)(likely < most ? likely : most));
}

static errcode_t add_bytes(struct e2s_names *out, const struct e2s_dirent *entry)
{
	errcode_t err;

	if (out->bytes_n > UINT32_MAX - 256)
		return ENOMEM;
	err = e2s_vec_grow((void **)&out->bytes, out->bytes_n, &out->bytes_room,
			   1 + (size_t)entry->name_len, 1);
	if (err)
		return err;
	out->bytes[out->bytes_n++] = entry->name_len;
	memcpy(out->bytes + out->bytes_n, entry->name, entry->name_len);
	out->bytes_n += entry->name_len;
	return 0;
}

static errcode_t add_name(struct reader *r, const struct e2s_dirent *entry)
{
	struct e2s_names *out = r->out;
	struct e2s_name *name;
	errcode_t err;

	err = out->n < out->room ? 0 : make_room(out, 2 * out->room);
	if (err)
		return err;
	name = &out->v[out->n];
	name->ino = entry->ino;
	name->at = (uint32_t)(r->flags & E2S_READDIR_BYTES ? out->bytes_n
							    : out->n);
	hash_name(r, entry, out->n++);
	return r->flags & E2S_READDIR_BYTES ? add_bytes(out, entry) : 0;
}

static errcode_t add_entries(struct reader *r, const uint8_t *data, uint32_t len)
{
	struct e2s_dirents walk;
	struct e2s_dirent entry;
	errcode_t err = 0;

	e2s_dirents_start(&walk, data, len, r->fs->geo.block_size);
	while (!err && e2s_dirents_next(&walk, &entry) > 0)
		if (entry.ino && entry.ino <= r->fs->geo.inodes &&
		    !e2s_dirent_is_dot(&entry) &&
		    !e2s_dirent_is_dotdot(&entry))
			err = add_name(r, &entry);
	/* DATA is there until we return. */
	hash_waiting(r);
	return err;
}

static errcode_t read_run(void *ctx, uint32_t lblk, uint64_t blk, uint32_t count)
{
	struct reader *r = ctx;
	errcode_t err;

	if (count > 1)
		e2s_fs_readahead(r->fs, blk, count);
	for (; count; count--, blk++, lblk++) {
		err = e2s_fs_read(r->fs, blk, 1, r->block, r->where);
		if (err)
			return err;
		if (!lblk && r->dir_flags & EXT2_INDEX_FL && r->hash_version >= 0)
			r->hash_version = with_sign(r->fs,
						r->block[DX_HASH_VERSION_AT]);
		err = add_entries(r, r->block, r->fs->geo.block_size);
		if (err)
			return err;
	}
	return 0;
}

static errcode_t read_inline(struct reader *r, const uint8_t *raw)
{
	struct e2s_inline_part parts[2];
	unsigned i, n = e2s_inline_parts(r->fs, raw, parts);
	errcode_t err = 0;

	for (i = 0; i < n && !err; i++)
		err = add_entries(r, parts[i].at, parts[i].len);
	return err;
}

#define RADIX_BITS 11
#define RADIX_PASSES 3		/* 33 bits, of 32 */

/* Sorts FROM by eleven bits of the hash into TO, equal ones as they are. */
static void sort_by_bits(const struct e2s_name *from, size_t n, unsigned shift,
			 struct e2s_name *to)
{
	const uint32_t mask = (1u << RADIX_BITS) - 1;
	uint32_t starts[1u << RADIX_BITS] = { 0 };
	uint32_t key, start = 0, count;
	size_t i;

	for (i = 0; i < n; i++)
		starts[from[i].hash >> shift & mask]++;
	for (key = 0; key <= mask; key++) {
		count = starts[key];
		starts[key] = start;
		start += count;
	}
	for (i = 0; i < n; i++)
		to[starts[from[i].hash >> shift & mask]++] = from[i];
}

static int by_hash(const void *a, const void *b)
{
	const struct e2s_name *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* By minor hash those with the same hash. */
static void sort_equals(struct e2s_name *v, size_t n)
{
	size_t first, end;

	for (first = 0; first < n; first = end) {
		for (end = first + 1; end < n && v[end].hash == v[first].hash;
		     end++)
			;
		if (end - first > 1)
			qsort(v + first, end - first, sizeof(*v), by_hash);
	}
}

static void sort_few(struct e2s_name *v, size_t n)
{
	struct e2s_name name;
	size_t i, j;

	for (i = 1; i < n; i++) {
		name = v[i];
		for (j = i; j > 0 && v[j - 1].hash > name.hash; j--)
			v[j] = v[j - 1];
		v[j] = name;
	}
}

#define FEW 64

/* Names with the same hash stay in the order in which they were found. */
static void sort_names(struct e2s_names *names)
{
	struct e2s_name *swap;
	unsigned pass;

	if (names->n <= FEW)
		sort_few(names->v, names->n);
	for (pass = 0; names->n > FEW && pass < RADIX_PASSES; pass++) {
		sort_by_bits(names->v, names->n, pass * RADIX_BITS,
			     names->spare);
		swap = names->v;
		names->v = names->spare;
		names->spare = swap;
	}
	sort_equals(names->v, names->n);
}

/*
 * Of names with the same hash the kernel gives the first, then the others from
 * the last one back (k: ext4_htree_store_dirent links each behind the first).
 */
static void turn_equals(struct e2s_names *names)
{
	struct e2s_name *v = names->v, swap;
	size_t first, end, low, high;

	for (first = 0; first < names->n; first = end) {
		for (end = first + 1; end < names->n &&
		     v[end].hash == v[first].hash &&
		     v[end].minor == v[first].minor; end++)
			;
		for (low = first + 1, high = end - 1; low < high;
		     low++, high--) {
			swap = v[low];
			v[low] = v[high];
			v[high] = swap;
		}
	}
}

errcode_t e2s_scan_readdir(const struct e2s_scan *scan, uint32_t dir,
			   unsigned flags, struct e2s_names *names,
			   struct e2s_where *where)
{
	const struct e2s_fs *fs = scan->fs;
	uint32_t bs = fs->geo.block_size, ino = scan->dirs[dir].ino;
	uint32_t index = e2s_geometry_index(&fs->geo, ino);
	uint8_t *table = malloc((size_t)bs * (DIR_MAP_LEVELS + 2));
	uint8_t *raw = table + (size_t)bs * (DIR_MAP_LEVELS + 1);
	struct reader r = { .fs = fs, .out = names, .where = where,
			    .flags = flags, .hash_version = -1,
			    .dir_flags = scan->dirs[dir].flags };
	errcode_t err;
	int bad;

	names->n = names->bytes_n = 0;
	names->hashed = 0;
	if (!table)
		return ENOMEM;
	r.block = table + (size_t)bs * DIR_MAP_LEVELS;
	err = e2s_fs_read(fs, e2s_fs_itable_blk(fs,
					e2s_geometry_group(&fs->geo, ino)) +
			      index / fs->geo.inodes_per_block, 1, raw, where);
	if (err)
		goto out;
	raw += index % fs->geo.inodes_per_block * fs->geo.inode_size;
	err = make_first_room(scan, raw, names);
	if (err)
		goto out;
	if (is_hashed(fs, raw)) {
		names->hashed = 1;
		r.hash_version = with_sign(fs,
					   fs->ext2->super->s_def_hash_version);
	}
	if (r.dir_flags & EXT4_INLINE_DATA_FL)
		err = read_inline(&r, raw);
	else
		err = e2s_dir_map(fs, ino, raw, table, read_run, &r, &bad,
				  where);
	if (!err && names->hashed) {
		sort_names(names);
		turn_equals(names);
	}
out:
	free(table);
	return err;
}

void e2s_names_free(struct e2s_names *names)
{
	free(names->memory);
	free(names->bytes);
	*names = (struct e2s_names){ 0 };
}
