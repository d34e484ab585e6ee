// SPDX-License-Identifier: BSD-3-Clause
// Captures by libpcap: what can be wrong with a file, and the instant of a frame.
#include "in.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "conf/conf.h"

#define NS_PER_S 1000000000

struct cap_in {
	pcap_t *pcap;
	char *path;
	uint64_t seen;
};

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

int cap_in_open(struct cap_in **in, const char *path, struct err *err)
{
	char why[PCAP_ERRBUF_SIZE];
	struct cap_in *c;
	int code;

	*in = NULL;
	code = strcmp(path, "-") != 0 ? infile_check(path, err) : 0;
	if (code)
		return code;
	c = calloc(1, sizeof(*c));
	if (!c || !(c->path = strdup(path))) {
		free(c);
		return err_set(err, -ENOMEM, "%s: no memory", path);
	}
	c->pcap = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
	code = c->pcap ? check_link(c->pcap, path, err)
		       : err_set(err, -EINVAL, "%s: not a capture: %s", path, why);
	if (code) {
		cap_in_close(c);
		return code;
	}
	*in = c;
	return 0;
}

// Instant of a frame, ns since 1970; false where 63 bits do not hold it. The classic format has
// unsigned 32-bit seconds, which libpcap extends by sign; pcapng has 64 bits of any unit.
static bool instant(const struct pcap_pkthdr *h, uint64_t *ns)
{
	int64_t s = h->ts.tv_sec, sub = h->ts.tv_usec; // nanoseconds, as asked for

	if (s < 0 && s >= INT32_MIN)
		s = (uint32_t)s;
	if (s < 0 || sub < 0 || s > (INT64_MAX - sub) / NS_PER_S)
		return false;
	*ns = (uint64_t)(s * NS_PER_S + sub);
	return true;
}

int cap_in_next(struct cap_in *in, struct cap_frame *f, struct err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *bytes;
	uint64_t ns;
	int got = pcap_next_ex(in->pcap, &h, &bytes);

	if (got == PCAP_ERROR_BREAK && in->seen)
		return 0;
	if (got == PCAP_ERROR_BREAK)
		return err_set(err, -EINVAL, "%s: holds no frame", in->path);
	if (got != 1)
		return err_set(err, -EINVAL, "%s: frame %llu cannot be read: %s", in->path,
			(unsigned long long)in->seen + 1, pcap_geterr(in->pcap));
	in->seen++;
	if (!instant(h, &ns))
		return err_set(err, -ERANGE,
			"%s: frame %llu: its time is before 1970 or after the year 2262", in->path,
			(unsigned long long)in->seen);
	*f = (struct cap_frame){
		.ns = ns,
		.bytes = bytes,
		.len = h->caplen,
		.wire_len = h->len,
	};
	return 1;
}

void cap_in_close(struct cap_in *in)
{
	if (!in)
		return;
	if (in->pcap)
		pcap_close(in->pcap);
	free(in->path);
	free(in);
}
