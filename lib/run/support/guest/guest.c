// SPDX-License-Identifier: BSD-3-Clause
// How a plug-in is loaded and looked over, its parameters become options, and its controls are
// compiled.
#include "guest.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "int.h"

#define STATE_MOST 65536 // bytes
#define MILLION    1e6
#define MOST_REAL  9e12 // of a plain number: the table counts in millionths
#define MOST       9e18 // of a value with a unit: below 2^63

static const struct {
	enum opt_type type;
	double least_unit, most; // of the table's limits; of a value
} units[] = {
	[QUENCH_RATE] = {OPT_RATE, 1, MOST},
	[QUENCH_TIME] = {OPT_TIME, 1, MOST},
	[QUENCH_BYTES] = {OPT_SIZE, 1, MOST},
	[QUENCH_SHARE] = {OPT_PERCENT, MILLION, 1},
	[QUENCH_NUMBER] = {OPT_REAL, MILLION, MOST_REAL},
};

static bool is_real(enum quench_unit unit)
{
	return unit == QUENCH_SHARE || unit == QUENCH_NUMBER;
}

// Checks the header that the object was compiled for.
static int check_header(const struct quench_plugin *p, const char *file, struct err *err)
{
	const struct {
		const char *name;
		uint32_t theirs, least, most;
	} sizes[] = {
		{"quench_rp", p->rp_size, 1, sizeof(struct quench_rp)},
		{"quench_ack", p->ack_size, 1, sizeof(struct quench_ack)},
		{"quench_hop", p->hop_size, sizeof(struct quench_hop), sizeof(struct quench_hop)},
		{"quench_param", p->param_size, sizeof(struct quench_param),
			sizeof(struct quench_param)},
	};

	if (p->abi != QUENCH_PLUGIN_ABI)
		return err_set(err, -EINVAL,
			"%s: is made for version %u of quench/plugin.h, and this program has "
			"version %d; compile it again",
			file, p->abi, QUENCH_PLUGIN_ABI);
	if (p->size != sizeof(*p))
		return err_set(err, -EINVAL,
			"%s: its struct quench_plugin has %u bytes, and this program's has %zu; "
			"compile it again",
			file, p->size, sizeof(*p));
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (sizes[i].theirs < sizes[i].least || sizes[i].theirs > sizes[i].most)
			return err_set(err, -EINVAL,
				"%s: its struct %s has %u bytes, and this program's has %u; "
				"compile it again",
				file, sizes[i].name, sizes[i].theirs, sizes[i].most);
	return 0;
}

// Verbs that go together.
static int is_whole(const struct quench_plugin *p, const char *file, struct err *err)
{
	const char *what = NULL;

	if (!p->name || !*p->name)
		what = "has no name";
	else if (p->n_params && !p->params)
		what = "counts parameters and has no table of them";
	else if (!p->expire != !p->deadline)
		what = "has one of expire and deadline; it takes both, or none";
	else if (p->wants & ~(QUENCH_WANTS_CE | QUENCH_WANTS_RTT))
		what = "wants what this program does not know";
	else if (p->wants && !p->ack)
		what = "wants to know more of ACKs, and has no ack()";
	else if (p->wants & QUENCH_WANTS_CE && p->cnp)
		what = "wants CE in ACKs, with which no CNP ever comes; leave cnp() out";
	else if (!p->cnp && !p->ack && !p->nak && !p->sent && !p->expire)
		what = "has no verb besides init()";
	else if (p->state_size > STATE_MOST)
		what = "wants more than 64 KiB of state for each queue pair";
	else if (p->n_params > GUEST_PARAMS)
		what = "has more than 31 parameters";
	return what ? err_set(err, -EINVAL, "%s: %s", file, what) : 0;
}

static bool is_key(const char *name)
{
	const char *const letters = "abcdefghijklmnopqrstuvwxyz",
			  *const rest = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return name && strspn(name, letters) && !name[strspn(name, rest)] &&
	       strcmp(name, "plugin") != 0 && strlen(name) < 48;
}

static int param_wrong(const char *file, const char *name, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "%s: parameter '%.48s' %s", file, name ? name : "", what);
}

// A parameter as a row of the table. A file must not be able to make a table that is wrong.
static int row_make(struct opt *row, const struct quench_param *p, unsigned i, const char *file,
	struct err *err)
{
	bool limits = p->min != 0 || p->max != 0;
	double low = limits ? p->min : 0, high = limits ? p->max : 0, unit;

	if (!is_key(p->name))
		return param_wrong(file, p->name, "has no name that a scenario can have", err);
	if ((unsigned)p->unit > QUENCH_NUMBER)
		return param_wrong(
			file, p->name, "has a unit that this program does not know", err);
	unit = units[p->unit].least_unit;
	if (!limits)
		high = units[p->unit].most;
	if (!(low <= high) || high > units[p->unit].most ||
		low < (p->unit == QUENCH_NUMBER ? -MOST_REAL : 0))
		return param_wrong(file, p->name, "has limits that its unit cannot have", err);
	if (!(p->def >= low && p->def <= high))
		return param_wrong(file, p->name, "has a default outside of its limits", err);
	if (!is_real(p->unit) && p->def != floor(p->def))
		return param_wrong(file, p->name, "has a default that is no whole unit", err);
	*row = (struct opt){.key = p->name,
		.type = units[p->unit].type,
		.offset = (uint32_t)(offsetof(struct guest_spec, value) +
				     i * sizeof(((struct guest_spec *)NULL)->value[0])),
		.size = sizeof(((struct guest_spec *)NULL)->value[0]),
		.min = limits || is_real(p->unit) ? llround(low * unit) : 0,
		.max = limits || is_real(p->unit) ? llround(high * unit) : 0,
		.help = p->help ? p->help : ""};
	return 0;
}

static int table_make(struct guest *g, struct arena *a, struct err *err)
{
	char *name = arena_format(a, "control of plug-in %s", g->name);

	if (!name)
		return err_set(err, -ENOMEM, "out of memory");
	g->row[0] = (struct opt){.key = "plugin",
		.type = OPT_TEXT,
		OPT_AT(struct guest_spec, file),
		.flags = OPT_F_REQUIRED | OPT_F_LOCAL};
	for (unsigned i = 0; i < g->plugin.n_params; i++) {
		int rc = row_make(&g->row[i + 1], &g->plugin.params[i], i, g->file, err);

		if (rc)
			return rc;
		for (unsigned k = 1; k <= i; k++)
			if (!strcmp(g->row[k].key, g->row[i + 1].key))
				return param_wrong(g->file, g->row[k].key, "is there twice", err);
	}
	g->table = (struct opt_table){name, g->row, g->plugin.n_params + 1, true};
	return 0;
}

static int object_open(struct guest *g, bool trusts, struct err *err)
{
	const struct quench_plugin *p;
	int rc = trust_load(&g->object, g->file, trusts, err);

	if (rc)
		return rc;
	p = dlsym(g->object, "quench_plugin");
	if (!p)
		return err_set(err, -EINVAL,
			"%s: has no quench_plugin; quench/plugin.h says what a plug-in is",
			g->file);
	rc = check_header(p, g->file, err);
	if (rc)
		return rc;
	g->plugin = *p;
	g->name = p->name;
	if (!SHA256File(g->file, g->sha256))
		return err_set(err, -errno, "%s: %s", g->file, strerror(errno));
	return is_whole(p, g->file, err);
}

int guest_load(struct guest **out, struct arena *a, const char *file, bool trusts, struct err *err)
{
	struct guest *g = arena_get(a, sizeof(*g));
	int rc;

	if (!g)
		return err_set(err, -ENOMEM, "out of memory");
	guard_open();
	g->file = file;
	rc = object_open(g, trusts, err);
	if (!rc)
		rc = table_make(g, a, err);
	if (rc) {
		guest_free(g);
		return rc;
	}
	*out = g;
	return 0;
}

void guest_free(struct guest *g)
{
	guard_close();
	if (g->object)
		dlclose(g->object);
}

void guest_defaults(const struct guest *g, struct guest_spec *spec)
{
	for (unsigned i = 0; i < g->plugin.n_params; i++) {
		const struct quench_param *p = &g->plugin.params[i];

		if (is_real(p->unit))
			spec->value[i].real = p->def;
		else
			spec->value[i].whole = (uint64_t)p->def;
	}
}

static unsigned asks(const struct quench_plugin *p)
{
	return (p->cnp ? RP_ASKS_CNP : 0) | (p->ack || p->nak ? RP_ASKS_ACK : 0) |
	       (p->wants & QUENCH_WANTS_CE ? RP_ASKS_CE : 0) |
	       (p->wants & QUENCH_WANTS_RTT ? RP_ASKS_RTT : 0);
}

// Whether init takes the parameters.
static int try_init(const struct rp_cfg *cfg, struct err *err)
{
	void *state = calloc(1, rp_state_size(cfg));
	char text[256];
	struct rp rp;
	tstamp at;
	int rc = 0;

	if (!state)
		return err_set(err, -ENOMEM, "out of memory");
	rp_init(&rp, cfg, state, NULL);
	if (guest_failed(&rp, text, sizeof(text), &at))
		rc = err_set(err, -EINVAL, "%s", text);
	free(state);
	return rc;
}

int guest_compile(const struct guest *g, struct arena *a, struct rp_cfg *cfg,
	const struct guest_control *c, const struct guest_spec *spec, struct err *err)
{
	const struct quench_plugin *p = &g->plugin;
	struct guest_cfg *own = arena_get(a, sizeof(*own));

	if (!own)
		return err_set(err, -ENOMEM, "out of memory");
	own->plugin = p;
	own->name = c->name;
	own->base_rtt = c->base_rtt;
	for (unsigned i = 0; i < p->n_params; i++)
		own->param[i] = is_real(p->params[i].unit) ? spec->value[i].real
							   : (double)spec->value[i].whole;
	cfg->kind = RP_PLUGIN;
	cfg->u.plugin = (struct plugin_rp_cfg){.ops = &guest_ops,
		.control = own,
		.state_size = sizeof(struct guest_rp) + p->state_size,
		.asks = asks(p),
		.counts = p->sent,
		.line_rate = c->line_rate};
	return try_init(cfg, err);
}
