// SPDX-License-Identifier: BSD-3-Clause
// quench check: a scenario resolved, its thresholds, paths and warnings; or its topology.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checker.h"
#include "faults.h"
#include "load.h"
#include "migrate.h"
#include "ranks.h"
#include "repair.h"
#include "sets.h"
#include "topo.h"
#include "session/session.h"
#include "conf/conf.h"
#include "rp/rp.h"
#include "hardware/hardware.h"
#include "scene/scene.h"
#include "schema/schema.h"

#define LONG  64 // lines from which on a part is cut
#define FIRST 24 // lines that are left of it

// Returns the text after the n-th line; NULL if there are fewer lines.
static const char *behind(const char *text, unsigned n)
{
	while (n-- && (text = strchr(text, '\n')))
		text++;
	return text;
}

static unsigned count_lines(const char *text)
{
	unsigned n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

// A part by its printer. One of many lines is cut.
static void print_part(const struct scene *s, void (*print)(const struct scene *s, FILE *f))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	unsigned n;

	if (!f) {
		print(s, stdout);
		return;
	}
	print(s, f);
	if (fclose(f) || !text) {
		free(text);
		print(s, stdout);
		return;
	}
	n = count_lines(text);
	if (n > LONG)
		printf("%.*s%u lines more; --full prints them\n", (int)(behind(text, FIRST) - text),
			text, n - FIRST);
	else
		fputs(text, stdout);
	free(text);
}

static char *size_text(uint64_t n, char *buf, size_t size)
{
	return units_format(UNITS_SIZE, n, buf, size);
}

#define ROW_BYTES 160

// The line of a port's group behind its name.
static void group_row(const struct scene_node *n, unsigned port, unsigned cls, char row[ROW_BYTES])
{
	const struct mmu_pg_params *pg = &n->u.sw.port[port].pg[cls];
	char xoff[32], xon[32], offset[32], headroom[32], reserved[32];
	char rule[32] = "static";

	if (pg->threshold == MMU_DYNAMIC)
		snprintf(rule, sizeof(rule), "2^%d free", pg->dynamic_th);
	else if (n->port[port].share[cls])
		snprintf(rule, sizeof(rule), "%s", n->port[port].share[cls]);
	snprintf(row, ROW_BYTES, "%5u  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s", cls,
		pg->lossless ? "lossless" : "lossy", rule,
		size_text(hardware_xoff(n, port, cls), xoff, sizeof(xoff)),
		pg->lossless ? size_text(pg->xon_bytes, xon, sizeof(xon)) : "-",
		pg->lossless ? size_text(pg->xon_offset_bytes, offset, sizeof(offset)) : "-",
		size_text(pg->headroom_bytes, headroom, sizeof(headroom)),
		size_text(pg->reserved_bytes, reserved, sizeof(reserved)));
}

// Classes that some flow uses: their groups are shown, and all that are lossless.
static unsigned used_classes(const struct scene *s)
{
	unsigned used = 0;

	for (unsigned i = 0; i < s->n_flows; i++)
		used |= 1u << s->flow[i]->cls;
	for (unsigned i = 0; i < s->n_sources; i++)
		used |= 1u << s->source[i]->gen.cls;
	return used;
}

// Ports of a switch whose groups of one class have the same line.
struct same_row {
	unsigned port, n;
	char row[ROW_BYTES];
};

// Prints a class's line of a switch. Ports with the same line share it: "NAME and 3 more". With
// `all` each port has its own line.
static void print_class(const struct scene_node *n, unsigned cls, bool all, FILE *f)
{
	struct same_row *a = calloc(n->n_ports, sizeof(*a));
	unsigned n_rows = 0;

	for (unsigned p = 0; a && p < n->n_ports; p++) {
		unsigned k = all ? n_rows : 0;

		group_row(n, p, cls, a[n_rows].row);
		while (k < n_rows && strcmp(a[k].row, a[n_rows].row))
			k++;
		if (k == n_rows)
			a[n_rows++].port = p;
		a[k].n++;
	}
	for (unsigned k = 0; k < n_rows; k++) {
		char name[160];

		snprintf(name, sizeof(name), a[k].n > 1 ? "%s and %u more" : "%s",
			n->port[a[k].port].name, a[k].n - 1);
		fprintf(f, "%-24s %s\n", name, a[k].row);
	}
	free(a);
}

// Prints Kmin and Kmax of classes whose scenario gives them as shares, of each set that has some.
static void print_shares(const struct scene_node *n, FILE *f)
{
	char min[32], max[32], set[32] = "";

	for (unsigned i = 0; i < n->u.sw.n_sets * PKT_CLASSES; i++) {
		unsigned k = i / PKT_CLASSES, c = i % PKT_CLASSES;
		const struct red_params *red = &n->u.sw.set[k].cls[c].red;

		if (!n->wred_share[k][c])
			continue;
		if (n->u.sw.n_sets > 1)
			snprintf(set, sizeof(set), " set %u", k + 1);
		fprintf(f, "%s%s class %u: Kmin %s, Kmax %s, which are %s\n", n->name, set, c,
			size_text(red->kmin_bytes, min, sizeof(min)),
			size_text(red->kmax_bytes, max, sizeof(max)), n->wred_share[k][c]);
	}
}

// Thresholds of the ports' groups that flows use or that are lossless. `all`: a line for each port,
// else one for all ports that are alike.
static void print_groups(const struct scene *s, bool all, FILE *f)
{
	unsigned used = used_classes(s);

	fprintf(f, "Thresholds (bytes with FCS; XOFF with the reserve, of a class that is alone in "
		   "the switch)\n");
	fprintf(f, "%-24s %5s  %-9s  %-13s  %10s  %10s  %10s  %10s  %10s\n", "port", "class",
		"kind", "rule", "xoff", "xon", "xon_offset", "headroom", "reserved");
	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned c = 0; n->kind == SCENE_SW && n->n_ports && c < PKT_CLASSES; c++) {
			bool lossless = false;

			for (unsigned p = 0; p < n->n_ports; p++)
				lossless |= n->u.sw.port[p].pg[c].lossless;
			if (used >> c & 1 || lossless)
				print_class(n, c, all, f);
		}
		if (n->kind == SCENE_SW)
			print_shares(n, f);
	}
}

static void print_thresholds(const struct scene *s, FILE *f)
{
	print_groups(s, true, f);
}

static void print_short_sets(const struct scene *s, FILE *f)
{
	sets_print(s, false, f);
}

static void print_short_thresholds(const struct scene *s, FILE *f)
{
	print_groups(s, false, f);
}

// Room in the FDBs, a line for each switch.
static void print_fdbs(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		if (n->kind != SCENE_SW)
			continue;
		if (!head)
			fprintf(f,
				"\nFDBs (entries: addresses that there is room for, in sets of "
				"four; "
				"static: those of the\nscenario's hosts and of fdb, in each VLAN)\n"
				"%-20s %10s  %10s\n",
				"switch", "entries", "static");
		head = true;
		fprintf(f, "%-20s %10u  %10u\n", n->name, sw_fdb_room(&n->u.sw), n->u.sw.n_fdb);
	}
}

// How long the receive ring of a port's device keeps the shortest frames.
static const char *ring_text(const struct scene_port *p, char *buf, size_t size)
{
	tstamp one = rate_time(rate_byte_ps(p->rate), PKT_MIN_LEN + PKT_WIRE);
	tstamp all = SCENE_RING * one;

	return p->device ? units_format(UNITS_TIME, all - all % (PS_PER_US / 10), buf, size) : "-";
}

static void print_late_loop(const struct scene_port *p, FILE *f)
{
	char late[32], room[32], loops[32], held[32], ring[32];

	fprintf(f, "%-20s %10s  %10s  %10s  %10s  %10s\n", p->name,
		units_format(UNITS_TIME, p->late_loop, late, sizeof(late)),
		size_text(p->late_bytes, room, sizeof(room)),
		size_text(p->late_bytes - p->held_bytes, loops, sizeof(loops)),
		size_text(p->held_bytes, held, sizeof(held)), ring_text(p, ring, sizeof(ring)));
}

static const char late_loops[] =
	"\nLate loops (real clock). headroom: the bytes that headroom: auto adds for each class,\n"
	"in memory beside the buffer, for frames that come while the loops of the switch and of\n"
	"its peer are late (loops), and while the devices of both send the frames that they took\n"
	"before XOFF (devices). ring: how long the device's ring keeps frames of 64 bytes\n";

// Prints the headroom for late loops: a line for each port that has some.
static void print_late_loops(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++) {
			if (!s->node[i].port[p].late_loop)
				continue;
			if (!head)
				fprintf(f, "%s%-20s %10s  %10s  %10s  %10s  %10s\n", late_loops,
					"port", "late_loop", "headroom", "loops", "devices",
					"ring");
			head = true;
			print_late_loop(&s->node[i].port[p], f);
		}
}

// Egress queues that have a limit or bytes of their own, a line each.
static void print_queues(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];

		for (unsigned k = 0; n->kind == SCENE_SW && k < n->n_ports * PKT_CLASSES; k++) {
			unsigned port = k / PKT_CLASSES, cls = k % PKT_CLASSES;
			const struct mmu_queue_params *q = &n->u.sw.port[port].queue[cls];
			char limit[32] = "-", reserved[32];

			if (!q->limited && !q->reserved_bytes)
				continue;
			if (!head)
				fprintf(f,
					"\nEgress queues (bytes of whole cells)\n%-20s %5s  "
					"%-15s  %10s"
					"  %10s\n",
					"port", "class", "pool", "limit", "reserved");
			head = true;
			if (q->limited && q->threshold == MMU_DYNAMIC)
				snprintf(limit, sizeof(limit), "2^%d free", q->dynamic_th);
			else if (q->limited)
				size_text(q->static_bytes, limit, sizeof(limit));
			fprintf(f, "%-20s %5u  %-15s  %10s  %10s\n", n->port[port].name, cls,
				q->one_pool   ? "egress"
				: q->lossless ? "egress_lossless"
					      : "egress_lossy",
				limit, size_text(q->reserved_bytes, reserved, sizeof(reserved)));
		}
	}
}

static void print_answer(const struct nic_params *p, FILE *f)
{
	static const char *const mode[] = {
		[NP_WINDOW] = "window",
		[NP_NEXT_MARKED] = "next_marked",
		[NP_PER_PACKET] = "per_packet",
	};
	static const char *const key[] = {
		[NP_KEY_QP] = "qp",
		[NP_KEY_IP_PAIR] = "ip_pair",
		[NP_KEY_DST_IP] = "dst_ip",
		[NP_KEY_PORT] = "port",
	};
	char interval[32];

	if (p->cnflag)
		fprintf(f, "no CNP: in the framing of the simulator the ACK echoes CE\n");
	else if (p->np_off)
		fprintf(f, "no CNP: np: {mode: off}\n");
	else if (p->np.mode == NP_PER_PACKET || !p->np.interval_ps)
		fprintf(f, "CNP for every CE frame\n");
	else
		fprintf(f, "CNP: mode %s, interval %s, key %s\n", mode[p->np.mode],
			units_format(UNITS_TIME, p->np.interval_ps, interval, sizeof(interval)),
			key[p->np.key]);
}

// Queue pairs that send to a host.
struct senders {
	unsigned come, react;
};

// The notification points, a line for each host that queue pairs send to: what it answers CE with,
// and who listens.
static void print_np(const struct scene *s, FILE *f)
{
	struct senders *to = calloc(s->n_nodes + s->n_elsewhere, sizeof(*to));
	bool head = false;

	for (unsigned k = 0; to && k < s->n_flows; k++) {
		const struct scene_flow *flow = s->flow[k];

		to[flow->to].come++;
		to[flow->to].react += (rp_asks(flow->rp) & RP_ASKS_CNP) != 0;
	}
	for (unsigned i = 0; to && i < s->n_nodes; i++) {
		if (!to[i].come || s->node[i].kind != SCENE_NIC)
			continue;
		if (!head)
			fprintf(f,
				"\nNotification points (queue pairs that send to the host; those "
				"that "
				"react to a CNP, the others ignore it)\n%-20s %11s  %5s  %s\n",
				"host", "queue pairs", "react", "answer to CE");
		head = true;
		fprintf(f, "%-20s %11u  %5u  ", s->node[i].name, to[i].come, to[i].react);
		print_answer(&s->node[i].u.nic, f);
	}
	free(to);
}

// A number of a queue pair that is known before the run, or is not.
static void print_number(bool drawn, uint32_t number, FILE *f)
{
	if (drawn)
		fprintf(f, "%8s  ", "drawn");
	else
		fprintf(f, "0x%06x  ", number);
}

// Prints the other end of a queue pair of ours.
static void print_peer(const struct scene *s, const struct scene_flow *q, FILE *f)
{
	bool sends = !s->node[q->from].external;
	const char *name = s->node[sends ? q->to : q->from].name;

	fprintf(f, "%-30s ", q->name);
	print_number(s->draws_qp_numbers && !s->node[sends ? q->from : q->to].qpn_given,
		q->peer->ours, f);
	print_number(
		s->draws_qp_numbers && !q->psn_given && !s->node[q->from].psn_given, q->req.psn, f);
	if (q->peer->qpn)
		fprintf(f, "%s, QPN 0x%06x\n", name, q->peer->qpn);
	else if (sends)
		fprintf(f, "%s, to which it connects by port %u\n", name, q->peer->p.port);
	else
		fprintf(f, "%s, which connects by port %u\n", name, q->peer->p.port);
}

// The addresses and numbers of our queue pairs that an external host must know, and the peers of
// these queue pairs.
static void print_peers(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_flows; i++) {
		if (!s->flow[i]->peer)
			continue;
		if (!head)
			fprintf(f,
				"\nPeers (queue pairs of ours whose other end an external host "
				"has)\n%-30s %8s  %8s  %s\n",
				"queue pair", "our QPN", "PSN", "its peer");
		head = true;
		print_peer(s, s->flow[i], f);
	}
}

static void print_iqcn_port(
	const struct scene_node *n, unsigned port, const struct iqcn_cfg *c, FILE *f)
{
	const struct sw_params *p = &n->u.sw;
	char due[32], age[32], np_age[32], rate[32], rule[64] = "given";
	char limit[32] = "none";

	if (p->iqcn_limit_auto)
		snprintf(rule, sizeof(rule), "auto: 1%% of %s",
			units_format(UNITS_RATE, n->port[port].rate, rate, sizeof(rate)));
	if (p->iqcn.port_cnps_per_s[port])
		snprintf(limit, sizeof(limit), "%llu",
			(unsigned long long)p->iqcn.port_cnps_per_s[port]);
	fprintf(f, "%-20s %10s  %10s  %10s  %15s  %5u  %s\n", n->port[port].name,
		units_format(UNITS_TIME, c->due_ps, due, sizeof(due)),
		units_format(UNITS_TIME, c->age_ps, age, sizeof(age)),
		units_format(UNITS_TIME, c->np_age_ps, np_age, sizeof(np_age)), limit,
		p->iqcn.port_burst, rule);
}

// The flow tables of iQCN, a line a port of each switch that has one.
static void print_iqcn(const struct scene *s, FILE *f)
{
	bool head = false;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		const struct scene_node *n = &s->node[i];
		struct iqcn_cfg c;

		if (n->kind != SCENE_SW || !n->u.sw.iqcn_on || iqcn_cfg_init(&c, &n->u.sw.iqcn))
			continue;
		if (!head)
			fprintf(f,
				"\niQCN (a flow's CNP is due after, a flow is forgotten after; "
				"CNPs of the "
				"switch for the flows of a port)\n%-20s %10s  %10s  %10s  %15s  "
				"%5s  "
				"%s\n",
				"port", "due", "age", "np_age", "port_rate, 1/s", "burst",
				"rule of port_rate");
		head = true;
		for (unsigned p = 0; p < n->n_ports; p++)
			print_iqcn_port(n, p, &c, f);
	}
}

// Plug-ins, firmware that a run would load, and devices that it would open, a line each: a scenario
// is as much to be trusted as a program.
static void print_trust(const struct scene *s)
{
	for (unsigned i = 0; i < s->n_plugins; i++)
		printf("loads code: control %s: %s\n", s->plugin[i]->control,
			s->plugin[i]->guest->file);
	for (unsigned i = 0; i < s->n_nodes; i++)
		if (s->node[i].kind == SCENE_NIC && s->node[i].fw_file)
			printf("loads code: %s: %s\n", s->node[i].name, s->node[i].fw_file);
	for (unsigned i = 0; i < s->n_nodes; i++)
		for (unsigned p = 0; p < s->node[i].n_ports; p++)
			if (s->node[i].port[p].device)
				printf("opens device: %s: %s\n", s->node[i].port[p].name,
					s->node[i].port[p].device);
}

struct check_args {
	struct session s; // the first
	bool dot, dump_flows, full, migrate, reference, registers;
};

static void print_topology(const struct scene *s, FILE *f)
{
	fprintf(f, "\nTopology (a port, its link, and the hosts that are reached by it)\n");
	topo_print(s, f);
}

// Bytes of the rings of all NICs. *without: requesters for which there is none of their own.
static uint64_t rings(const struct scene *s, unsigned *without)
{
	uint64_t *of = calloc(s->n_nodes + s->n_elsewhere, sizeof(*of)), sum = 0;

	*without = 0;
	for (unsigned i = 0; of && i < s->n_flows; i++) {
		const struct scene_flow *f = s->flow[i];
		uint32_t bytes = nic_ring_bytes(f->req.outstanding);

		if (of[f->from] + bytes > NIC_RING_BYTES) {
			++*without;
			continue;
		}
		of[f->from] += bytes;
		sum += bytes;
	}
	free(of);
	return sum;
}

// Prints the memory of queue pairs: of idle ones, and if all are in use.
static void print_memory(const struct scene *s)
{
	const struct nic_qp_bytes b = nic_qp_bytes();
	unsigned requester = b.requester + b.used_requester;
	unsigned responder = b.responder + b.used_responder;
	uint64_t idle = (uint64_t)s->n_flows * 2 * b.idle;
	uint64_t used = (uint64_t)s->n_flows * (requester + responder);
	unsigned without;

	if (!s->n_flows)
		return;
	used += rings(s, &without);
	printf("memory in the NICs: an idle requester or responder takes %u bytes: %.1f MB; one "
	       "that was used and is at rest %u more; in use a requester takes %u more, a "
	       "responder %u, and a ring of messages: %.1f MB more, which the real clock takes "
	       "from the start\n",
		b.idle, (double)idle / 1e6, b.kept, requester, responder, (double)used / 1e6);
	if (without)
		printf("the rings of a NIC take %lu MiB at most, which is too little for %u "
		       "requesters: they take turns with the others, each with one message at a "
		       "time while others wait\n",
			NIC_RING_BYTES >> 20, without);
}

// Prints the digests of this part: another part of the same run prints the same lines.
static void print_digests(const struct scene *s)
{
	for (unsigned i = 0; s->part && i < SCENE_SECTIONS; i++) {
		printf("digest of %s: ", scene_section_name[i]);
		for (unsigned k = 0; k < SCENE_DIGEST; k++)
			printf("%02x", s->digest[i][k]);
		putchar('\n');
	}
}

static void print_sums(const struct scene *s)
{
	char longest[40] = "no frames of its own"; // except by devices

	if (s->max_frame)
		snprintf(longest, sizeof(longest), "longest frame %u bytes", s->max_frame);
	printf("\n%u queue pair%s, %u open-loop source%s, %u event%s; %s; at most %llu packets at "
	       "once\n",
		s->n_flows, plural(s->n_flows), s->n_sources, plural(s->n_sources), s->n_events,
		plural(s->n_events), longest, (unsigned long long)s->max_packets);
}

static void print_warnings_and_trust(const struct scene *s)
{
	print_trust(s);
	print_digests(s);
	session_list_warnings(s, stdout);
}

static void print_all(const struct scene *s)
{
	print_thresholds(s, stdout);
	sets_print(s, true, stdout);
	print_late_loops(s, stdout);
	print_peers(s, stdout);
	load_print(s, stdout);
	ranks_print(s, stdout);
	repair_print(s, stdout);
	faults_print(s, stdout);
	putchar('\n');
	fputs(s->resolved, stdout);
	print_fdbs(s, stdout);
	print_queues(s, stdout);
	print_np(s, stdout);
	print_iqcn(s, stdout);
	print_topology(s, stdout);
	print_sums(s);
	print_memory(s);
	print_warnings_and_trust(s);
}

// Prints one screen: the thresholds, the numbers that a peer must know, and the warnings.
static void print_screen(const struct scene *s)
{
	print_part(s, print_short_thresholds);
	print_part(s, print_short_sets);
	print_part(s, print_late_loops);
	print_part(s, print_peers);
	print_part(s, load_print);
	print_part(s, ranks_print);
	print_part(s, repair_print);
	print_part(s, faults_print);
	print_sums(s);
	puts("every value with its source, queues, notification points and topology: --full");
	print_warnings_and_trust(s);
}

static int print_reference(void)
{
	char *text = scene_reference();

	term_plain();
	if (text)
		fputs(text, stdout);
	free(text);
	return text ? EXIT_DONE : EXIT_INPUT;
}

static int print_registers(void)
{
	static char page[1 << 15];

	term_plain();
	rdma_ip_reg_doc(page, sizeof(page));
	fputs(page, stdout);
	return EXIT_DONE;
}

static int check_scenario(const struct check_args *a, const char *scenario)
{
	struct scene_opts opts = {.set = a->s.set,
		.n_set = a->s.n_set,
		.nodes = a->s.nodes,
		.trusts = a->s.trust,
		.real = a->s.nodes != NULL};
	int status = EXIT_DONE;
	struct scene *s;
	struct err err;

	if (scenario_load(&s, scenario_name(scenario), &opts, &err)) {
		tell("%s", err.text);
		return EXIT_INPUT;
	}
	if (a->dot) {
		term_plain();
		topo_dot(s, stdout);
	} else if (a->dump_flows) {
		term_plain();
		status = load_dump(s, stdout);
	} else if (a->full) {
		print_all(s);
	} else {
		print_screen(s);
	}
	scene_free(s);
	return status;
}

static int migrate_scenario(const struct check_args *a, const char *scenario)
{
	if (a->s.n_set || a->dot || a->full) {
		tell("quench check: --migrate goes without --set, --dot and --full: it rewrites "
		     "what stands in the file");
		return EXIT_INPUT;
	}
	return migrate_file(scenario);
}

static int check_main(int argc, char **argv)
{
	struct check_args a = {0};
	int at = args_read(&checker_check, &a, argc, argv), status = EXIT_DONE;

	if (at <= 0)
		status = at ? EXIT_INPUT : EXIT_DONE;
	else if (a.reference)
		status = print_reference();
	else if (a.registers)
		status = print_registers();
	else if (a.migrate)
		status = migrate_scenario(&a, argv[at]);
	else
		status = check_scenario(&a, argv[at]);
	session_free(&a.s);
	return status;
}

static const struct args_option *const options[] = {
	ARGS_ROW(.name = "full", ARGS_AT(struct check_args, full),
		.help = "Prints every value with its unit and source, every line of long tables, "
			"egress queues, notification points, the topology with its paths, and "
			"memory."),
	ARGS_ROW(.name = "dot", ARGS_AT(struct check_args, dot),
		.help = "Prints the topology for graphviz instead."),
	ARGS_ROW(.name = "dump-flows", ARGS_AT(struct check_args, dump_flows),
		.help = "Prints the messages that are known before the run, of loads and of queue "
			"pairs that send one, as the HPCC simulator's flow.txt lists them; "
			"`flows_from` reads that."),
	&session_settings,
	&session_trust,
	&session_nodes,
	ARGS_ROW(.name = "migrate", ARGS_AT(struct check_args, migrate),
		.help = "Rewrites the scenario, a file that may be written: words and figures of "
			"older versions get the names that they have now, and nothing else "
			"changes. It prints a line for each; warnings of a scenario name them, "
			"too."),
	ARGS_ROW(.name = "reference", .alone = true, ARGS_AT(struct check_args, reference),
		.help = "Prints a scenario that has every option with its meaning: "
			"config/reference.yaml."),
	ARGS_ROW(.name = "registers", .alone = true, ARGS_AT(struct check_args, registers),
		.help = "Prints the registers of the RDMA IP as a page: docs/registers.md."),
	NULL,
};

const struct args_command checker_check = {
	.name = "check",
	.summary = "show the thresholds and every value of a scenario, or what is wrong with it",
	.about = "Prints the thresholds and headroom of a scenario, a line for ports that are "
		 "alike, and warnings; with --full every value with its unit and where it comes "
		 "from, and the topology with its paths. SCENARIO is a file, the name of one that "
		 "comes with quench, or `-` for standard input.",
	.options = options,
	.operands = ARGS_OPERANDS({.name = "SCENARIO", .fill = ARGS_SCENARIO}),
	.wanted = "name one scenario",
	.examples = ARGS_WORDS("quench check victim",
		"quench check first-light --set switches.s1.classes.3.wred.max=200KB",
		"quench check unfairness --dot | dot -Tsvg > topology.svg",
		"quench check mine.yaml --dump-flows > flow.txt",
		"quench check mine.yaml --migrate"),
	.run = check_main,
};
