// SPDX-License-Identifier: BSD-3-Clause
// DPDK telemetry of a run: registers and counters of its nodes, asked for by name while it runs.
//
// DPDK calls from threads of its own. Here a question is made out against the scene, which is
// const; the node itself is touched by its lcore only (rt_query_ask). A dictionary has 256 entries
// at most, a string in it 127 characters, a reply 16 KiB: lists come in pages.
#include "telemetry.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_telemetry.h>
#include <rte_version.h>

#include "figures.h"
#include "iqcn.h"
#include "scene/scene.h"
#include "schema/schema.h"

#define PAGE       128 // names of a list in one reply
#define METRICS    500 // of a page, of the 512 entries of an array
#define TIMEOUT_MS 2000

static struct {
	pthread_mutex_t lock;
	struct telemetry_run run; // world NULL: none
} open_run = {.lock = PTHREAD_MUTEX_INITIALIZER};

// The figures of one moment: made for the first page, kept for the other pages.
static struct live *moment;

// Characters that JSON of this DPDK does not escape become underscores; a long text is cut.
static const char *plain(const char *text, char *buf, size_t size)
{
	size_t n = 0;

	for (; text[n] && n + 1 < size; n++)
		buf[n] = (unsigned char)text[n] < 0x20 || text[n] == '"' || text[n] == '\\'
				 ? '_'
				 : text[n];
	buf[n] = '\0';
	return buf;
}

static void put_dict_text(struct rte_tel_data *d, const char *key, const char *text)
{
	char buf[RTE_TEL_MAX_STRING_LEN];

	rte_tel_data_add_dict_string(d, key, plain(text, buf, sizeof(buf)));
}

static void put_number(struct rte_tel_data *d, const char *key, uint64_t value)
{
#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
	rte_tel_data_add_dict_uint(d, key, value);
#else
	rte_tel_data_add_dict_u64(d, key, value);
#endif
}

// Words of 64 bits: JSON's readers often have but 53.
static void put_hex(struct rte_tel_data *d, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	put_dict_text(d, key, text);
}

// Reports a failure with the key "error". If a callback itself failed, the client would only get
// null.
static int fail(struct rte_tel_data *d, const char *text)
{
	put_dict_text(d, "error", text);
	return 0;
}

typedef int (*answer_fn)(
	const struct telemetry_run *run, const char *params, struct rte_tel_data *d);

static int with_run(answer_fn answer, const char *params, struct rte_tel_data *d)
{
	int rc;

	rte_tel_data_start_dict(d);
	pthread_mutex_lock(&open_run.lock);
	if (open_run.run.world)
		rc = answer(&open_run.run, params ? params : "", d);
	else
		rc = fail(d, "the run has not begun yet, or is over");
	pthread_mutex_unlock(&open_run.lock);
	return rc;
}

static int info(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	const struct scene *s = run->world->scene;
	tstamp now = TSTAMP_NEVER;

	(void)params;
	for (unsigned i = 0; i < run->world->n_lcores; i++)
		now = tstamp_min(now, atomic_load(&run->world->lcore[i]->now));
	put_dict_text(d, "instance", run->instance);
	put_dict_text(d, "scenario", s->name);
	put_number(d, "pid", (uint64_t)getpid());
	put_number(d, "now_ps", now);
	put_number(d, "duration_ps", s->duration);
	put_number(d, "dilate", run->dilate);
	put_number(d, "lcores", run->world->n_lcores);
	put_number(d, "nodes", s->n_nodes);
	put_number(d, "queue_pairs", s->n_flows);
	return 0;
}

// A page of a list: "names" from number `from`, and "next" if there are more.
struct page {
	struct rte_tel_data *names;
	unsigned from, at, n;
};

static void page_begin(struct page *p, const char *from)
{
	*p = (struct page){
		.names = rte_tel_data_alloc(), .from = (unsigned)strtoul(from, NULL, 10)};
	if (p->names)
		rte_tel_data_start_array(p->names, RTE_TEL_STRING_VAL);
}

static void page_put(struct page *p, const char *name)
{
	char buf[RTE_TEL_MAX_STRING_LEN];

	if (p->at++ < p->from || p->n == PAGE || !p->names)
		return;
	rte_tel_data_add_array_string(p->names, plain(name, buf, sizeof(buf)));
	p->n++;
}

static int page_end(struct page *p, struct rte_tel_data *d)
{
	if (!p->names)
		return fail(d, "no memory");
	put_number(d, "all", p->at);
	if (p->from + p->n < p->at)
		put_number(d, "next", p->from + p->n);
	return rte_tel_data_add_dict_container(d, "names", p->names, 0);
}

static int nodes(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct page p;

	page_begin(&p, params);
	for (unsigned i = 0; i < run->world->scene->n_nodes; i++)
		page_put(&p, run->world->scene->node[i].name);
	return page_end(&p, d);
}

static int ports(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	const char *comma = strchr(params, ',');
	char name[64];
	struct page p;
	int node;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(params, ","), params);
	node = scene_node(run->world->scene, name);
	if (node < 0)
		return fail(d, "no such node; /quench/nodes has their names");
	page_begin(&p, comma ? comma + 1 : "0");
	for (unsigned i = 0; i < run->world->scene->node[node].n_ports; i++)
		page_put(&p, run->world->scene->node[node].port[i].name);
	return page_end(&p, d);
}

// "h1 4": hosts with registers and the highest number of their queue pairs.
static int reg_list(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct page p;

	page_begin(&p, params);
	for (unsigned i = 0; i < run->world->scene->n_nodes; i++) {
		unsigned n;
		uint32_t most = query_qps(run->world->scene, i, &n);
		char text[80];

		snprintf(text, sizeof(text), "%s %u", run->world->scene->node[i].name, most);
		if (n)
			page_put(&p, text);
	}
	return page_end(&p, d);
}

// The lcore's answer, or why there is none.
static int ask_lcore(const struct telemetry_run *run, struct query *q, struct err *err)
{
	int rc = rt_query_ask(run->world, q, TIMEOUT_MS);

	if (rc == -ETIMEDOUT)
		return err_set(err, rc, "the lcore of %s has not answered for 2 s: it is held up",
			run->world->scene->node[q->node].name);
	if (rc)
		return err_set(err, rc, "the run is over");
	if (q->rc)
		query_why(q, run->world->scene, err);
	return q->rc;
}

static int reg_read(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct query q;
	struct err err;
	char name[64];
	int rc = query_register(&q, run->world->scene, params, &err);

	if (!rc)
		rc = ask_lcore(run, &q, &err);
	if (rc)
		return fail(d, err.text);
	put_dict_text(d, "node", run->world->scene->node[q.node].name);
	put_number(d, "qp", q.qpn);
	put_dict_text(d, "register", reg_name_of(&q.place, name, sizeof(name)));
	put_hex(d, "address", q.place.address);
	put_number(d, "lsb", q.place.lsb);
	put_number(d, "width", q.place.width);
	put_hex(d, "value", q.value);
	put_number(d, "clock_hz", query_rdma_ip(run->world->scene, q.node)->core.rp.clock_hz);
	put_number(d, "at_ps", q.at);
	return 0;
}

static int counters(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct query q;
	struct err err;
	int rc = query_counters(&q, run->world->scene, params, &err);

	if (!rc)
		rc = ask_lcore(run, &q, &err);
	if (rc)
		return fail(d, err.text);
	put_number(d, "at_ps", q.at);
	for (unsigned i = 0; i < q.table->n; i++) {
		bool known = q.count[i] && q.count[i] != TSTAMP_NEVER;

		// DPDK has no null: an instant or an extreme of nothing is left out, and so is a
		// counter that no port has.
		if (q.has[i] && (known || !q.table->row[i].whole))
			put_number(d, q.table->row[i].name, q.count[i]);
	}
	return 0;
}

// Switches with iQCN.
static int iqcn_list(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct page p;

	page_begin(&p, params);
	for (unsigned i = 0; i < run->world->scene->n_nodes; i++) {
		const struct scene_node *n = &run->world->scene->node[i];

		if (n->kind == SCENE_SW && n->u.sw.iqcn_on)
			page_put(&p, n->name);
	}
	return page_end(&p, d);
}

static int iqcn_flows(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	struct query q;
	struct err err;
	int rc = query_iqcn(&q, run->world->scene, params, &err);

	if (!rc)
		rc = ask_lcore(run, &q, &err);
	if (rc)
		return fail(d, err.text);
	return telemetry_iqcn(d, run->world->scene, &q);
}

#define METRIC_BYTES 12000 // of a page, of the 16 KiB of a reply

struct metrics {
	struct rte_tel_data *list;
	unsigned n;
	size_t bytes;
};

// Writes a line for one figure, for example "queue.s1:r.3.p99_bytes 81234".
static bool put_metric(void *arg, const char *path, double value, unsigned decimals)
{
	struct metrics *m = arg;
	char line[RTE_TEL_MAX_STRING_LEN], buf[RTE_TEL_MAX_STRING_LEN];
	int n = snprintf(line, sizeof(line), "%s %.*f", path, (int)decimals, value);

	if ((size_t)n >= sizeof(line))
		return true; // a string of a reply holds no more: summary.json has it
	if (m->n == METRICS || m->bytes + (size_t)n + 4 > METRIC_BYTES)
		return false;
	rte_tel_data_add_array_string(m->list, plain(line, buf, sizeof(buf)));
	m->n++;
	m->bytes += (size_t)n + 4;
	return true;
}

static int metrics(const struct telemetry_run *run, const char *params, struct rte_tel_data *d)
{
	unsigned from = (unsigned)strtoul(params, NULL, 10), next;
	const char *comma = strchr(params, ',');
	struct metrics m = {0};
	int rc = 0;

	if (!from || !moment) {
		live_free(moment);
		moment = NULL;
		rc = telemetry_figures_ask(run, &moment, TIMEOUT_MS);
	}
	if (rc)
		return fail(d, rc == -ESHUTDOWN ? "the run is over"
			       : rc == -ENOMEM
				       ? "no memory"
				       : "the recorder has not answered for 2 s: it is held up");
	m.list = rte_tel_data_alloc();
	if (!m.list)
		return fail(d, "no memory");
	rte_tel_data_start_array(m.list, RTE_TEL_STRING_VAL);
	next = live_each(moment, comma ? comma + 1 : "", from, put_metric, &m);
	put_number(d, "at_ps", live_at(moment));
	put_dict_text(d, "timing", live_timing(moment));
	if (next)
		put_number(d, "next", next);
	return rte_tel_data_add_dict_container(d, "metrics", m.list, 0);
}

static const struct {
	const char *name, *help;
	answer_fn answer;
} commands[] = {
	{"/quench/info", "The run: instance, scenario, pid, scene time. No parameters", info},
	{"/quench/nodes", "Names of nodes. Parameters: FROM", nodes},
	{"/quench/ports", "Names of a node's ports. Parameters: NODE,FROM", ports},
	{"/quench/counters", "Parameters: NODE, NODE:PEER, NODE:PEER.CLASS or HOST.QP", counters},
	{"/quench/metrics",
		"Figures so far, \"PATH VALUE\", as summary.json has them. Parameters: "
		"FROM,PATTERN,...",
		metrics},
	{"/quench/iqcn/list", "Switches with iQCN. Parameters: FROM", iqcn_list},
	{"/quench/iqcn/flows", "Flows that a switch with iQCN knows. Parameters: SWITCH,FROM",
		iqcn_flows},
	{"/quench/reg/list", "Hosts with registers, and their highest QP. Parameters: FROM",
		reg_list},
	{"/quench/reg/read", "Parameters: HOST,QP,NAME or ADDRESS", reg_read},
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static int called(const char *cmd, const char *params, struct rte_tel_data *d)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (!strcmp(cmd, commands[i].name))
			return with_run(commands[i].answer, params, d);
	return -ENOENT;
}

void telemetry_register(void)
{
	for (size_t i = 0; i < COMMANDS; i++)
		rte_telemetry_register_cmd(commands[i].name, called, commands[i].help);
}

// Drops the figures that were made and not fetched: they refer to a run that is over.
static void change_run(const struct telemetry_run *run)
{
	pthread_mutex_lock(&open_run.lock);
	if (open_run.run.figures)
		live_free(atomic_exchange(&open_run.run.figures->made, NULL));
	open_run.run = *run;
	live_free(moment);
	moment = NULL;
	pthread_mutex_unlock(&open_run.lock);
}

void telemetry_open(const struct telemetry_run *run)
{
	change_run(run);
}

void telemetry_close(void)
{
	change_run(&(struct telemetry_run){0});
}
