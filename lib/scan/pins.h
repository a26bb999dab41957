/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pins: inodes that must keep their numbers, with the reason.  Found on the
 * way by a scan with E2S_SCAN_PINS.  Slots that are E2S_SLOT_SPECIAL never move
 * either and are not listed.
 */
#ifndef E2S_SCAN_PINS_H
#define E2S_SCAN_PINS_H

#include <stdint.h>

#include <et/com_err.h>

enum e2s_pin_reason {
	E2S_PIN_IMAGIC,		/* refuses: opened by number (AFS) */
	E2S_PIN_LUSTRE,		/* refuses: a Lustre target keeps numbers */
	E2S_PIN_NO_NAME,	/* no directory names it */
	E2S_PIN_DTIME,		/* has a deletion time, may be on a list */
	E2S_PIN_BAD_BLOCK,	/* lies in a bad block */
	E2S_PIN_ENCRYPT_IV,	/* fscrypt: the number is part of the key */
	E2S_PIN_ENCRYPT_UNKNOWN, /* fscrypt: context missing or not known */
	E2S_PIN_EVM,		/* EVM: the number is part of an HMAC */
	E2S_PIN_HANDLE,		/* overlayfs: a file handle names it */
	E2S_PIN_EA_PARENT,	/* an EA inode holds its number (Lustre style) */
	E2S_PIN_ROOT,		/* directories, for --move-dirs: the root, */
	E2S_PIN_LOST_FOUND,	/* and lost+found */
	E2S_PIN_REASONS
};

struct e2s_pin {
	uint32_t ino;
	enum e2s_pin_reason reason;
};

/* A few words for REASON. */
const char *e2s_pin_words(enum e2s_pin_reason reason);

/* The error that one such inode is for the whole file system, or 0. */
errcode_t e2s_pin_refuses(enum e2s_pin_reason reason);

#endif
