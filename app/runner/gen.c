// SPDX-License-Identifier: BSD-3-Clause
// quench gen: a generator of frames or messages at one port, without a scenario file. Its options
// become a scenario, which --show prints.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "runner.h"
#include "session/session.h"
#include "sketch.h"

struct gen_args {
	struct session s; // the first
	const char *device, *to, *from, *to_mac, *speed, *rate, *size, *control;
	bool roce, udp, raw, show, has_dscp;
	unsigned qps, dscp, port;
	tstamp last;
};

// A generator as its options say it.
struct plan {
	const struct gen_args *a;
	struct device d;
	char from[64], from_mac[24];
	uint64_t line;
	char rate[40],
		size[40]; // as the scenario has them: of one source or queue pair, of a frame
	unsigned mtu;
	unsigned dscp;
};

#define FRAME   1024  // bytes of a frame
#define CM_PORT 18515 // of RDMA-CM, as perftest has it
#define MESSAGE "64KB"
#define OWN_MTU 1518 // of a port whose MTU nobody knows

static int check_kind(const struct gen_args *a, struct err *err)
{
	if (a->roce + a->udp + a->raw > 1)
		return err_set(err, -EINVAL, "choose one of --roce, --udp and --raw");
	if (a->control && (a->udp || a->raw))
		return err_set(err, -EINVAL,
			"--control is for queue pairs of RoCEv2; drop it, or take --roce");
	if (a->port && !a->control)
		return err_set(err, -EINVAL,
			"--port is where queue pairs connect; it goes with --control");
	return 0;
}

// Chooses the address next to the peer's in its subnet: the one before, or behind it if that one
// would end in 0. A group has none: the scenario refuses it as the peer's.
static void next_address(const char *to, char *from, size_t size)
{
	bool v6 = strchr(to, ':');
	uint8_t ip[16];
	unsigned last = v6 ? 15 : 3;

	inet_pton(v6 ? AF_INET6 : AF_INET, to, ip);
	if (ip[0] >= (v6 ? 0xff : 224))
		return;
	ip[last] += ip[last] > 1 ? -1 : 1;
	inet_ntop(v6 ? AF_INET6 : AF_INET, ip, from, (socklen_t)size);
}

static bool is_ip(const char *word)
{
	uint8_t ip[16];

	return inet_pton(strchr(word, ':') ? AF_INET6 : AF_INET, word, ip) == 1;
}

// Whether two texts are one address; `own` may be "".
static bool same_ip(const char *to, const char *own)
{
	uint8_t a[16] = {0}, b[16] = {0};
	int family = strchr(to, ':') ? AF_INET6 : AF_INET;

	return inet_pton(family, to, a) == 1 && inet_pton(family, own, b) == 1 &&
	       !memcmp(a, b, sizeof(a));
}

static int find_addresses(struct plan *p, struct err *err)
{
	const struct gen_args *a = p->a;
	const char *own = strchr(a->to, ':') ? p->d.ip6 : p->d.ip;
	uint8_t mac[6];
	bool to_mac = units_parse_mac(a->to, mac);

	if (to_mac != a->raw || (!to_mac && !is_ip(a->to)))
		return err_set(err, -EINVAL, "--to %s: %s", a->to,
			a->raw   ? "--raw has no IP; --to takes a MAC address, as in "
				   "02:00:00:00:00:02"
			: to_mac ? "a MAC address is for --raw; for an IP address it is --to-mac"
				 : "write an IP address, as in 10.0.0.2, or a MAC address with "
				   "--raw");
	if (!to_mac && same_ip(a->to, own))
		return err_set(err, -EINVAL,
			"--to %s: it is the address of %s itself; name another machine", a->to,
			p->d.name);
	if (a->to_mac && (a->raw || !units_parse_mac(a->to_mac, mac)))
		return err_set(err, -EINVAL, "--to-mac %s: %s", a->to_mac,
			a->raw ? "with --raw it is --to that takes the MAC address"
			       : "write a MAC address, as in 02:00:00:00:00:02");
	if (a->from && (!is_ip(a->from) || !strchr(a->from, ':') != !strchr(a->to, ':')))
		return err_set(
			err, -EINVAL, "--from %s: write an IP address like that of --to", a->from);
	if (a->from)
		snprintf(p->from, sizeof(p->from), "%s", a->from);
	else if (*own)
		snprintf(p->from, sizeof(p->from), "%s", own);
	else if (!a->raw)
		next_address(a->to, p->from, sizeof(p->from));
	// The kernel's address has the kernel's MAC address, or neighbours would see it move.
	if (!strcmp(p->from, p->d.ip) || !strcmp(p->from, p->d.ip6))
		snprintf(p->from_mac, sizeof(p->from_mac), "%s", p->d.mac);
	return 0;
}

// The size of frames or messages as the scenario has it.
static int find_size(struct plan *p, struct err *err)
{
	const struct gen_args *a = p->a;
	uint64_t low, high = FRAME;
	bool imix = a->size && !strcmp(a->size, "imix");

	snprintf(p->size, sizeof(p->size), "%s", a->size ? a->size : a->control ? MESSAGE : "1024");
	if (a->control) {
		if (units_parse(UNITS_SIZE, p->size, &low))
			return err_set(err, -EINVAL,
				"--size %s: with --control it is a message's, as in 64KB", a->size);
		p->mtu = p->d.mtu;
		return 0;
	}
	if (imix)
		high = 1518;
	else if (a->size && (units_parse_range(UNITS_COUNT, a->size, &low, &high) || low > high))
		return err_set(err, -EINVAL,
			"--size %s: write bytes of a frame with FCS, as in 1024, a range, as in "
			"64..1518, or imix",
			a->size);
	p->mtu = p->d.mtu ? p->d.mtu : high > OWN_MTU ? (unsigned)high : OWN_MTU;
	if (high > p->mtu)
		return err_set(err, -EINVAL,
			"--size %s: %s takes frames of up to %u bytes; raise its MTU (ip link set "
			"%s mtu %u)",
			p->size, p->d.name, p->mtu, p->d.name, (unsigned)high - 18);
	return 0;
}

static int wrong_rate(const struct gen_args *a, struct err *err)
{
	return err_set(err, -EINVAL,
		"--rate %s: write a bit rate, as in 10G, frames per second, as in 2mpps, or a "
		"share of the link, as in 50%%",
		a->rate);
}

// The rate of one source or queue pair: all together have the rate that was asked for.
static int find_rate(struct plan *p, struct err *err)
{
	const struct gen_args *a = p->a;
	const char *word = a->rate ? a->rate : a->control ? "100%" : "10%";
	char is[32], most[32];
	uint64_t rate;
	double share;
	enum units_kind kind = UNITS_RATE;
	size_t n = strlen(word);

	if (n > 3 && !strcmp(word + n - 3, "pps")) {
		kind = UNITS_PPS;
		if (a->control || units_parse(UNITS_PPS, word, &rate) || !rate)
			return wrong_rate(a, err);
		if (rate < a->qps)
			return err_set(err, -EINVAL,
				"--rate %s: each of %u would have less than 1pps; ask for more, or "
				"lower --qps",
				word, a->qps);
	} else if (n && word[n - 1] == '%') {
		if (units_parse_real(word, &share) || !(share > 0 && share <= 1))
			return wrong_rate(a, err);
		rate = (uint64_t)((double)p->line * share + 0.5);
	} else if (!device_rate(word, &rate)) {
		return wrong_rate(a, err);
	}
	if (kind == UNITS_RATE && rate > p->line)
		return err_set(err, -EINVAL,
			"--rate %s: %s carries %s; ask for less, or correct its speed by --speed",
			word, p->d.name, units_format(UNITS_RATE, p->line, most, sizeof(most)));
	if (kind == UNITS_RATE && rate / a->qps < RATE_MIN)
		return err_set(err, -EINVAL,
			"--rate %s: each of %u would have less than %s, the least that is paced",
			word, a->qps, units_format(UNITS_RATE, RATE_MIN, is, sizeof(is)));
	if (a->qps == 1 && word[n - 1] == '%')
		snprintf(p->rate, sizeof(p->rate), "%s", word);
	else
		units_format(kind, rate / a->qps, p->rate, sizeof(p->rate));
	return 0;
}

static int find_plan(struct plan *p, struct err *err)
{
	const struct gen_args *a = p->a;
	int rc = check_kind(a, err);

	if (!rc && !device_find(&p->d, a->device, 0))
		rc = err_set(err, -ENOENT,
			"--device %s: there is no such interface; `quench ports` lists them",
			a->device);
	if (!rc)
		rc = device_speed(&p->d, a->speed, &p->line, err);
	if (!rc)
		rc = find_addresses(p, err);
	if (!rc)
		rc = find_size(p, err);
	if (!rc)
		rc = find_rate(p, err);
	p->dscp = a->has_dscp ? a->dscp : a->roce || a->control ? 26 : 0;
	return rc;
}

// Writes an address, if there is one, that comes from an option. Those with colons go into quotes.
static void put_address(
	struct sketch *k, const char *key, const char *value, const char *option, const char *given)
{
	if (!*value)
		return;
	fprintf(k->f, "%s: ", key);
	sketch_mark(k, option, given);
	fprintf(k->f, strchr(value, ':') ? "\"%s\"" : "%s", value);
}

static void put_hosts(const struct plan *p, struct sketch *k)
{
	const struct gen_args *a = p->a;

	fputs("hosts:\n  gen: {", k->f);
	put_address(k, "ip", p->from, "from", a->from);
	fputs(*p->from && *p->from_mac ? ", " : "", k->f);
	put_address(k, "mac", p->from_mac, "from", a->from);
	fputs("}\n  peer: {", k->f);
	put_address(k, a->raw ? "mac" : "ip", a->to, "to", a->to);
	fputs(a->to_mac ? ", " : "", k->f);
	put_address(k, "mac", a->to_mac ? a->to_mac : "", "to-mac", a->to_mac);
	fputs(", external: true}\n", k->f);
}

static void put_messages(const struct plan *p, struct sketch *k)
{
	const struct gen_args *a = p->a;

	fprintf(k->f, "    qps: %u\n    message: ", a->qps);
	sketch_mark(k, "size", a->size);
	fprintf(k->f, "%s\n    rate: ", p->size);
	sketch_mark(k, "rate", a->rate);
	fprintf(k->f, "%s\n    control: %s\n", p->rate,
		strcmp(a->control, "none") ? "control" : "none");
	fprintf(k->f, "    peer: {port: %u}\n", a->port ? a->port : CM_PORT);
}

static void put_flow(const struct plan *p, struct sketch *k)
{
	const struct gen_args *a = p->a;

	fprintf(k->f, "flows:\n  load:\n    from: gen\n    to: peer\n    class: %u\n",
		p->dscp >> 3);
	if (!a->raw)
		fprintf(k->f, "    dscp: %u\n", p->dscp);
	if (a->control) {
		put_messages(p, k);
		return;
	}
	fputs("    open_loop: {size: ", k->f);
	sketch_mark(k, "size", a->size);
	fprintf(k->f, "%s, rate: ", p->size);
	sketch_mark(k, "rate", a->rate);
	fputs(p->rate, k->f);
	if (a->qps > 1)
		fprintf(k->f, ", sources: %u", a->qps);
	fprintf(k->f, "%s}\n", a->roce ? ", roce: {}" : a->raw ? ", raw: true" : "");
}

static void put_plan(const struct plan *p, struct sketch *k)
{
	const struct gen_args *a = p->a;
	tstamp drain = a->last / 10 < 100 * PS_PER_MS ? a->last / 10 : 100 * PS_PER_MS;
	char text[32];

	fputs("duration: ", k->f);
	sketch_mark(k, "for", NULL);
	fprintf(k->f, "%s\n", units_format(UNITS_TIME, a->last, text, sizeof(text)));
	fprintf(k->f, "drain: %s\n", units_format(UNITS_TIME, drain, text, sizeof(text)));
	if (a->control && strcmp(a->control, "none") != 0) {
		fputs("controls:\n  control: {profile: ", k->f);
		sketch_mark(k, "control", a->control);
		fprintf(k->f, "%s}\n", a->control);
	}
	put_hosts(p, k);
	fputs("links:\n  - {between: [gen, peer], rate: ", k->f);
	sketch_mark(k, "speed", a->speed);
	fprintf(k->f, "%s}\nports:\n", units_format(UNITS_RATE, p->line, text, sizeof(text)));
	sketch_port(k, "gen:peer", &p->d, p->mtu);
	put_flow(p, k);
}

// The line for a receiver that nobody finds.
static void tell_alone(const struct plan *p, char *line, size_t size)
{
	const struct gen_args *a = p->a;

	if (a->control)
		snprintf(line, size,
			"quench gen: --to %s: no queue pair could connect to port %u there; see "
			"whether the host is up, and a program listens by RDMA-CM",
			a->to, a->port ? a->port : CM_PORT);
	else
		snprintf(line, size,
			"quench gen: --to %s: nobody answers %s for it, so nothing was sent; see "
			"whether the host is up and in the network of %s, or give its MAC address, "
			"or its router's, by --to-mac",
			a->to, strchr(a->to, ':') ? "neighbour discovery" : "ARP", p->d.name);
}

static int gen_main(int argc, char **argv)
{
	struct gen_args a = {0};
	struct plan p = {.a = &a};
	struct sketch k;
	struct err err = {""};
	char alone[1024];
	int n = session_args(&a.s, argc, argv);
	int at = args_read(&runner_gen, &a, n, argv);

	if (at > 0 && (!a.device || !a.to))
		at = -tell_input("quench gen",
			"--device and --to say where and to whom, as in --device eth1 --to "
			"10.0.0.2");
	else if (at > 0 && find_plan(&p, &err))
		at = -tell_input("quench gen", err.text);
	if (at <= 0 || sketch_begin(&k, n, argv)) {
		session_free(&a.s);
		return at ? EXIT_INPUT : EXIT_DONE;
	}
	put_plan(&p, &k);
	tell_alone(&p, alone, sizeof(alone));
	a.s.alone = alone;
	return sketch_end(&k, &a.s, "<quench gen --show>", a.show);
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "device", .value = "DEVICE", .kind = ARGS_TEXT,
		ARGS_AT(struct gen_args, device),
		.help = "Sends by this port: an interface of the kernel, a PCI address, or a "
			"device of DPDK. `quench ports` lists them."),
	ARGS_ROW(.name = "to", .value = "ADDRESS", .kind = ARGS_TEXT, ARGS_AT(struct gen_args, to),
		.help = "Sends to this IP address, whose MAC address is found by ARP or neighbour "
			"discovery; with --raw to this MAC address."),
	ARGS_ROW(.name = "to-mac", .value = "MAC", .kind = ARGS_TEXT,
		ARGS_AT(struct gen_args, to_mac),
		.help = "Takes this MAC address for --to, and asks nobody."),
	ARGS_ROW(.name = "from", .value = "IP", .kind = ARGS_TEXT, ARGS_AT(struct gen_args, from),
		.help = "Sends from this IP address. The default is the interface's, with its MAC "
			"address, or else the address before that of --to."),
	ARGS_ROW(.name = "udp", ARGS_AT(struct gen_args, udp),
		.help = "Sends UDP to port 9. This is the default."),
	ARGS_ROW(.name = "roce", ARGS_AT(struct gen_args, roce),
		.help = "Sends RoCEv2 SENDs that nobody answers, with BTH, PSN and ICRC."),
	ARGS_ROW(.name = "raw", ARGS_AT(struct gen_args, raw),
		.help = "Sends Ethernet without IP, of EtherType 0x88b5."),
	ARGS_ROW(.name = "control", .value = "PROFILE", .kind = ARGS_TEXT,
		ARGS_AT(struct gen_args, control),
		.help = "Sends messages by RoCEv2 queue pairs, which connect by RDMA-CM and have "
			"this congestion control: `paper` is DCQCN, `none` no control."),
	ARGS_ROW(.name = "port", .value = "PORT", .kind = ARGS_NUMBER, .min = 1, .max = 65535,
		ARGS_AT(struct gen_args, port),
		.help = "With --control, connects to this port of RDMA-CM; 18515 if not given."),
	ARGS_ROW(.name = "rate", .value = "RATE", .kind = ARGS_TEXT, ARGS_AT(struct gen_args, rate),
		.help = "Sends at this rate in all: 10G on the wire, 2mpps frames per second, or "
			"50% of the link. The default is 10%; with --control there is no limit."),
	ARGS_ROW(.name = "size", .value = "SIZE", .kind = ARGS_TEXT, ARGS_AT(struct gen_args, size),
		.help = "Sends frames of this size with FCS: 1024, 64..1518 or imix. With "
			"--control it is the messages' size, 64KB if not given."),
	ARGS_ROW(.name = "qps", .value = "N", .kind = ARGS_NUMBER, .min = 1, .max = 65535,
		.def = "1", ARGS_AT(struct gen_args, qps),
		.help = "Sends by this number of queue pairs, or of sources, which have a UDP "
			"source port each, and a QPN with --roce."),
	ARGS_ROW(.name = "dscp", .value = "N", .kind = ARGS_NUMBER, .max = 63,
		ARGS_AT(struct gen_args, dscp), .given = offsetof(struct gen_args, has_dscp),
		.help = "Gives frames this DSCP. The default is 26 for RoCEv2, else 0."),
	ARGS_ROW(.name = "for", .value = "TIME", .kind = ARGS_TIME, .def = "10s",
		ARGS_AT(struct gen_args, last), .help = "Ends after this time."),
	ARGS_ROW(.name = "speed", .value = "RATE", .kind = ARGS_TEXT,
		ARGS_AT(struct gen_args, speed),
		.help = "Takes this for the speed of the link. The default is what the kernel "
			"says of the interface."),
	ARGS_ROW(.name = "show", ARGS_AT(struct gen_args, show),
		.help = "Prints the scenario, which `quench run` takes as it is, and sends "
			"nothing."),
	SKETCH_SESSION,
	NULL,
};

const struct args_command runner_gen = {
	.name = "gen",
	.summary = "send frames by a port, without a scenario file",
	.about = "Generates traffic at one port of this machine, on the real clock: UDP, RoCEv2 or "
		 "raw Ethernet at a rate that nothing slows down, or, with --control, messages of "
		 "queue pairs. Each option is a value of a scenario, which --show prints, so that "
		 "the next step is a file.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = NULL}),
	.behind = "EAL arguments",
	.examples = ARGS_WORDS("quench gen --device eth1 --to 10.0.0.2 --rate 2mpps --size 64",
		"quench gen --device eth1 --to 10.0.0.2 --roce --qps 64 --size imix --for 60s",
		"quench gen --device eth1 --to 10.0.0.2 --control paper --qps 8",
		"quench gen --device eth1 --to 10.0.0.2 --roce --show > gen.yaml"),
	.statuses = ARGS_VERDICT | ARGS_STRICT | ARGS_SIGNAL,
	.run = gen_main,
};
