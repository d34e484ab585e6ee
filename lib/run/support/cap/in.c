// SPDX-License-Identifier: BSD-3-Clause
// Captures in: the classic format of today by our own reader, since libpcap's takes longer than a
// short frame takes the wire; every other form by libpcap.
#include "in.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"
#include "unpack.h"

#define NS_PER_S   1000000000
#define WINDOW     (512u << 10) // holds any record, and lets a block of the file be read at once
#define RECORD_MAX (256u << 10) // bytes of a record, as libpcap has it

enum { MAGIC_US = 0xa1b2c3d4, MAGIC_NS = 0xa1b23c4d, FILE_HEAD = 24, RECORD_HEAD = 16 };

struct cap_in {
	struct unpack *bytes;
	pcap_t *pcap; // NULL: the classic format, read here
	char *path;
	uint64_t seen;
	uint8_t *window;
	size_t at, have; // of the window: what is to be read
	bool eof;        // of the file: the window has its last byte
	bool moved;      // the window has not its first one
	bool swapped;
	uint32_t unit_ns; // of a record's fraction of a second
	uint32_t snap;
};

// Makes `want` bytes available at the window's `at`, if the file has them. Returns how many bytes
// are there; -1: the file cannot be read. Bytes read before stay in the window as long as it has
// room.
static ssize_t window_fill(struct cap_in *in, size_t want)
{
	while (in->have - in->at < want && !in->eof) {
		ssize_t got;

		if (in->at + want > WINDOW) {
			memmove(in->window, in->window + in->at, in->have - in->at);
			in->have -= in->at;
			in->at = 0;
			in->moved = true;
		}
		got = unpack_read(in->bytes, in->window + in->have, WINDOW - in->have);
		if (got < 0)
			return -1;
		in->eof = !got;
		in->have += (size_t)got;
	}
	return (ssize_t)(in->have - in->at < want ? in->have - in->at : want);
}

static uint32_t word(const struct cap_in *in, size_t off)
{
	uint32_t v;

	memcpy(&v, in->window + in->at + off, sizeof(v));
	return in->swapped ? __builtin_bswap32(v) : v;
}

// Reads the file's head: byte order, unit of time and longest record. True: the file is in the
// classic format, version 2.4, with Ethernet frames, and is read here. False: libpcap reads it.
static bool classic_begin(struct cap_in *in)
{
	uint32_t version;

	if (window_fill(in, FILE_HEAD) != FILE_HEAD)
		return false;
	in->swapped = word(in, 0) != MAGIC_US && word(in, 0) != MAGIC_NS;
	version = word(in, 4);
	if (word(in, 0) == MAGIC_US)
		in->unit_ns = 1000;
	else if (word(in, 0) == MAGIC_NS)
		in->unit_ns = 1;
	else
		return false;
	// Two 16-bit numbers: which stands in the upper half depends on the order of bytes.
	if ((version != (4u << 16 | 2u) && version != (2u << 16 | 4u)) ||
		word(in, 20) != DLT_EN10MB)
		return false;
	in->snap = word(in, 16);
	if (!in->snap || in->snap > RECORD_MAX)
		in->snap = RECORD_MAX;
	in->at += FILE_HEAD;
	return true;
}

static int check_link(pcap_t *p, const char *path, struct err *err)
{
	int link = pcap_datalink(p);
	const char *name = pcap_datalink_val_to_name(link);

	if (link == DLT_EN10MB)
		return 0;
	if (name)
		return err_set(err, -EINVAL, "%s: link type %s, Ethernet is wanted", path, name);
	return err_set(err, -EINVAL, "%s: link type %d, Ethernet is wanted", path, link);
}

// What libpcap reads: what the window has already, then the rest of the file.
static ssize_t give_pcap(void *cookie, char *to, size_t n)
{
	struct cap_in *in = cookie;
	size_t left = in->have - in->at;
	ssize_t got;

	if (!left) {
		got = unpack_read(in->bytes, (uint8_t *)to, n);
		if (got < 0)
			errno = EIO;
		return got;
	}
	n = n < left ? n : left;
	memcpy(to, in->window + in->at, n);
	in->at += n;
	return (ssize_t)n;
}

static int pcap_begin(struct cap_in *in, struct err *err)
{
	const cookie_io_functions_t io = {.read = give_pcap};
	char why[PCAP_ERRBUF_SIZE];
	bool empty = in->eof && !in->have;
	FILE *f = fopencookie(in, "r", io);

	if (!f)
		return err_set(err, -ENOMEM, "%s: no memory", in->path);
	setvbuf(f, NULL, _IOFBF, 64u << 10);
	in->pcap = pcap_fopen_offline_with_tstamp_precision(f, PCAP_TSTAMP_PRECISION_NANO, why);
	if (in->pcap)
		return check_link(in->pcap, in->path, err);
	fclose(f);
	if (unpack_why(in->bytes))
		return err_set(err, -EINVAL, "%s: %s", in->path, unpack_why(in->bytes));
	if (empty)
		return err_set(
			err, -EINVAL, "%s: empty; a capture, pcap or pcapng, is wanted", in->path);
	return err_set(
		err, -EINVAL, "%s: not a capture: %s; pcap or pcapng is wanted", in->path, why);
}

int cap_in_open(struct cap_in **out, const char *path, struct err *err)
{
	struct cap_in *in = calloc(1, sizeof(*in));
	int rc = 0;

	*out = NULL;
	if (!in || !(in->path = strdup(path)) || !(in->window = malloc(WINDOW)))
		rc = err_set(err, -ENOMEM, "%s: no memory", path);
	if (!rc)
		rc = unpack_open(&in->bytes, path, err);
	if (!rc && !classic_begin(in))
		rc = pcap_begin(in, err);
	if (rc) {
		cap_in_close(in);
		return rc;
	}
	*out = in;
	return 0;
}

// Converts the instant of a frame to ns since 1970; false: it does not fit into 63 bits. The
// classic format has unsigned 32-bit seconds, which libpcap extends by sign; pcapng has 64 bits of
// any unit.
static bool instant(int64_t s, int64_t sub, uint64_t *ns)
{
	if (s < 0 && s >= INT32_MIN)
		s = (uint32_t)s;
	if (s < 0 || sub < 0 || s > (INT64_MAX - sub) / NS_PER_S)
		return false;
	*ns = (uint64_t)(s * NS_PER_S + sub);
	return true;
}

static int unreadable(const struct cap_in *in, const char *why, struct err *err)
{
	if (unpack_why(in->bytes))
		why = unpack_why(in->bytes);
	return err_set(err, -EINVAL, "%s: frame %llu cannot be read: %s", in->path,
		(unsigned long long)in->seen + 1, why);
}

static int cut_here(
	const struct cap_in *in, const char *what, size_t want, ssize_t got, struct err *err)
{
	char why[120];

	snprintf(why, sizeof(why),
		"the file is cut short: %s has %zu bytes, %zd of them are there; give the whole "
		"file",
		what, want, got < 0 ? 0 : got);
	return unreadable(in, why, err);
}

static int next_classic(struct cap_in *in, struct cap_frame *f, struct err *err)
{
	ssize_t got = window_fill(in, RECORD_HEAD);
	uint32_t len;

	if (!got)
		return 0;
	if (got != RECORD_HEAD)
		return cut_here(in, "its head", RECORD_HEAD, got, err);
	len = word(in, 8);
	if (len > RECORD_MAX) {
		char why[100];

		snprintf(why, sizeof(why), "it is said to have %u bytes; %u are the most", len,
			RECORD_MAX);
		return unreadable(in, why, err);
	}
	*f = (struct cap_frame){
		.ns = (uint64_t)word(in, 0) * NS_PER_S + (uint64_t)word(in, 4) * in->unit_ns,
		.len = len < in->snap ? len : in->snap,
		.wire_len = word(in, 12),
	};
	got = window_fill(in, RECORD_HEAD + len);
	if (got != (ssize_t)(RECORD_HEAD + len))
		return cut_here(in, "it", len, got - RECORD_HEAD, err);
	f->bytes = in->window + in->at + RECORD_HEAD;
	in->at += RECORD_HEAD + len;
	return 1;
}

static int next_of_pcap(struct cap_in *in, struct cap_frame *f, struct err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	uint64_t ns;
	int got = pcap_next_ex(in->pcap, &h, &bytes);

	if (got == PCAP_ERROR_BREAK)
		return 0;
	if (got != 1)
		return unreadable(in, pcap_geterr(in->pcap), err);
	// the fraction is in nanoseconds, as asked for
	if (!instant(h->ts.tv_sec, h->ts.tv_usec, &ns))
		return err_set(err, -ERANGE,
			"%s: frame %llu: its time is before 1970 or after the year 2262", in->path,
			(unsigned long long)in->seen + 1);
	*f = (struct cap_frame){
		.ns = ns,
		.bytes = bytes,
		.len = h->caplen,
		.wire_len = h->len,
	};
	return 1;
}

int cap_in_next(struct cap_in *in, struct cap_frame *f, struct err *err)
{
	int got = in->pcap ? next_of_pcap(in, f, err) : next_classic(in, f, err);

	if (got == 1)
		in->seen++;
	else if (!got && !in->seen)
		return err_set(err, -EINVAL, "%s: holds no frame", in->path);
	return got;
}

bool cap_in_rewind(struct cap_in *in)
{
	if (in->pcap || in->moved || !in->eof)
		return false;
	in->at = FILE_HEAD;
	in->seen = 0;
	return true;
}

void cap_in_close(struct cap_in *in)
{
	if (!in)
		return;
	if (in->pcap)
		pcap_close(in->pcap);
	unpack_close(in->bytes);
	free(in->window);
	free(in->path);
	free(in);
}
