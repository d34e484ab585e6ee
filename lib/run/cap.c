// SPDX-License-Identifier: BSD-3-Clause
// Captures in: every frame of a pcap or pcapng file, its octets and its instant, by libpcap.
#include "run/cap.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000

// A capture while it grows: octets move, so frames keep offsets until the end.
struct grow {
	struct cap *c;
	size_t octets, octets_cap, frames_cap;
	uint64_t last_ns;
};

// Instant of a frame, ns since 1970. The classic format has unsigned 32-bit seconds, which libpcap
// extends by sign.
static uint64_t instant(const struct pcap_pkthdr *h)
{
	uint64_t s = h->ts.tv_sec < 0 ? (uint32_t)h->ts.tv_sec : (uint64_t)h->ts.tv_sec;

	return s * NS_PER_S + (uint64_t)h->ts.tv_usec; // nanoseconds, as asked for
}

static int reserve(void **p, size_t *cap, size_t want, size_t size)
{
	size_t n = *cap ? *cap : 256;
	void *more;

	if (want <= *cap)
		return 0;
	while (n < want)
		n *= 2;
	more = realloc(*p, n * size);
	if (!more)
		return -ENOMEM;
	*p = more;
	*cap = n;
	return 0;
}

static int add(struct grow *g, const struct pcap_pkthdr *h, const uint8_t *octets)
{
	struct cap *c = g->c;
	uint64_t ns = instant(h);
	struct replay_frame *f;

	if (h->caplen < h->len || !h->len) {
		c->snapped++;
		return 0;
	}
	if (h->len > PKT_MAX_LEN) {
		c->oversized++;
		return 0;
	}
	if (reserve((void **)&c->frame, &g->frames_cap, c->n + 1, sizeof(*c->frame)) ||
		reserve((void **)&c->octets, &g->octets_cap, g->octets + h->len, 1))
		return -ENOMEM;
	if (!c->n)
		c->first_ns = g->last_ns = ns;
	if (ns < g->last_ns) {
		c->backwards++;
		ns = g->last_ns;
	}
	g->last_ns = ns;
	f = &c->frame[c->n++];
	f->at = (ns - c->first_ns) * PS_PER_NS;
	f->len = (uint16_t)h->len;
	memcpy(c->octets + g->octets, octets, h->len);
	g->octets += h->len;
	c->max_len = h->len > c->max_len ? h->len : c->max_len;
	return 0;
}

static int read_frames(struct grow *g, pcap_t *p, const char *path, struct err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *octets;
	uint64_t seen = 0;
	int got;

	while ((got = pcap_next_ex(p, &h, &octets)) == 1) {
		seen++;
		if (add(g, h, octets))
			return err_set(err, -ENOMEM, "%s: no memory for frame %llu", path,
				(unsigned long long)seen);
	}
	if (got != PCAP_ERROR_BREAK)
		return err_set(err, -EINVAL, "%s: frame %llu cannot be read: %s", path,
			(unsigned long long)seen + 1, pcap_geterr(p));
	if (!seen)
		return err_set(err, -EINVAL, "%s: holds no frame", path);
	if (!g->c->n)
		return err_set(err, -EINVAL,
			"%s: none of its %llu frames is whole (captured with a snap length, or over "
			"%d octets)",
			path, (unsigned long long)seen, PKT_MAX_LEN);
	return 0;
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

int cap_read(struct cap *c, const char *path, struct err *err)
{
	struct grow g = {.c = c};
	char why[PCAP_ERRBUF_SIZE];
	size_t at = 0;
	pcap_t *p;
	int code;

	*c = (struct cap){0};
	if (access(path, R_OK) < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
	if (!p)
		return err_set(err, -EINVAL, "%s: not a capture: %s", path, why);
	code = check_link(p, path, err);
	if (!code)
		code = read_frames(&g, p, path, err);
	pcap_close(p);
	if (code) {
		cap_free(c);
		return code;
	}
	for (unsigned i = 0; i < c->n; at += c->frame[i++].len)
		c->frame[i].octets = c->octets + at;
	return 0;
}

void cap_free(struct cap *c)
{
	free(c->frame);
	free(c->octets);
	*c = (struct cap){0};
}
