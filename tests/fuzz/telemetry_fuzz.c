// SPDX-License-Identifier: BSD-3-Clause
// Fuzz target: any text is a question over telemetry, and its answer keeps to the limits of DPDK's
// replies: what has an error says so in one line.
//
// Each line of the input is a question: an octet that chooses the command by its remainder, and
// the parameters.
#include <rte_telemetry.h>

#include "live/live.h"
#include "telemetry/figures.h"
#include "telemetry/telemetry.h"
#include "world_net.h"
#include "world_scene.h"

#define COMMANDS   32
#define CONTAINERS 16
#define EVENTS     4000

// A reply, as far as its limits go.
struct rte_tel_data {
	bool is_array, taken;
	unsigned entries;
};

static struct {
	const char *name[COMMANDS];
	telemetry_cb fn;
	unsigned n;
} commands;

static struct world w;
static struct record *rec;
static struct rte_tel_data container[CONTAINERS];
static unsigned containers;

static int is_text(const char *text)
{
	fuzz_check(strlen(text) < RTE_TEL_MAX_STRING_LEN);
	for (; *text; text++)
		fuzz_check((unsigned char)*text >= 0x20 && *text != '"' && *text != '\\');
	return 0;
}

static int entry(struct rte_tel_data *d, const char *name)
{
	fuzz_check(d->is_array == !name);
	d->entries++;
	fuzz_check(d->entries <= (name ? RTE_TEL_MAX_DICT_ENTRIES : RTE_TEL_MAX_ARRAY_ENTRIES));
	return name ? is_text(name) : 0;
}

int rte_telemetry_register_cmd(const char *cmd, telemetry_cb fn, const char *help)
{
	fuzz_check(commands.n < COMMANDS && *help);
	commands.name[commands.n++] = cmd;
	commands.fn = fn;
	return 0;
}

struct rte_tel_data *rte_tel_data_alloc(void)
{
	fuzz_check(containers < CONTAINERS);
	container[containers] = (struct rte_tel_data){0};
	return &container[containers++];
}

int rte_tel_data_start_dict(struct rte_tel_data *d)
{
	*d = (struct rte_tel_data){0};
	return 0;
}

int rte_tel_data_start_array(struct rte_tel_data *d, enum rte_tel_value_type type)
{
	(void)type;
	*d = (struct rte_tel_data){.is_array = true};
	return 0;
}

int rte_tel_data_add_array_string(struct rte_tel_data *d, const char *text)
{
	return is_text(text) || entry(d, NULL);
}

int rte_tel_data_add_array_u64(struct rte_tel_data *d, uint64_t value)
{
	(void)value;
	return entry(d, NULL);
}

int rte_tel_data_add_dict_string(struct rte_tel_data *d, const char *name, const char *text)
{
	return is_text(text) || entry(d, name);
}

int rte_tel_data_add_dict_u64(struct rte_tel_data *d, const char *name, uint64_t value)
{
	(void)value;
	return entry(d, name);
}

int rte_tel_data_add_dict_container(
	struct rte_tel_data *d, const char *name, struct rte_tel_data *val, int keep)
{
	fuzz_check(!keep && val->is_array && !val->taken);
	val->taken = true;
	return entry(d, name);
}

// In place of the lcores: answers at once.
int rt_query_ask(struct rt_world *rt, struct query *q, unsigned timeout_ms)
{
	struct net_node *n = net_node(w.net, q->node);
	unsigned shards = n->kind == SCENE_SW ? sw_shards(n->u.sw) : 1;

	(void)timeout_ms;
	fuzz_check(rt->scene == w.scene && q->node < w.scene->n_nodes);
	for (q->shard = 0; q->shard < shards; q->shard++)
		query_answer(q, n, w.now);
	return 0;
}

int telemetry_figures_ask(const struct telemetry_run *run, struct live **out, unsigned timeout_ms)
{
	const struct record_run now = {.clock = "real", .end = w.now};

	(void)run;
	(void)timeout_ms;
	return live_make(out, rec, &now);
}

static void run_open(void)
{
	static struct rt_world rt;
	const struct record_opts opts = {.no_files = true};
	static const struct scene *scene;
	struct err err;

	if (!scene) {
		scene = world_compile(WORLD_IQCN, "2");
		telemetry_register();
	}
	rt.scene = scene;
	world_open(&w, scene, EVENTS);
	fuzz_check(!record_open(&rec, scene, w.net, &opts, &err));
	record_warm(rec, 0);
	world_run(&w, 30 * PS_PER_US);
	telemetry_open(&(struct telemetry_run){.world = &rt, .instance = "fuzz", .dilate = 1});
}

static void ask(const uint8_t *line, size_t size)
{
	char *params = strndup((const char *)line + 1, size - 1);
	struct rte_tel_data reply = {0};

	fuzz_check(params);
	containers = 0;
	commands.fn(commands.name[line[0] % commands.n], params, &reply);
	fuzz_check(reply.entries);
	for (unsigned i = 0; i < containers; i++)
		fuzz_check(container[i].taken);
	free(params);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;

	if (!w.net)
		run_open();
	while (data < end) {
		const uint8_t *line = memchr(data, '\n', (size_t)(end - data));
		size_t n = (size_t)((line ? line : end) - data);

		if (n)
			ask(data, n);
		data += n + 1;
	}
	return 0;
}
