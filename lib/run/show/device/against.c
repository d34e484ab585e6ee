// SPDX-License-Identifier: BSD-3-Clause
// The values of a configuration, read from a SONiC switch's config_db.json or from a scenario.
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "device.h"
#include "sonic/sonic.h"

// The switch of a scene that stands for the device, with its measured ports.
struct part {
	struct device_config *to;
	struct device_given given;
	const struct scene_node *node;
	const struct sw_params *sw;
	const struct sw_port_params *in, *out;
	const struct sw_set_params *in_set, *out_set;
};

static void value_is(struct device_config *to, unsigned cls, enum probe_figure fig, double value)
{
	to->f[cls][fig] = (struct device_value){.given = true, .value = value};
}

// Sets a figure of a class where the file gives the key to the options of class `of`: its own, its
// ingress group's or its queue's.
static void value_if(const struct part *p, unsigned cls, enum probe_figure fig, unsigned of,
	const char *path, double value)
{
	if (device_given(&p->given, of, path))
		value_is(p->to, cls, fig, value);
}

// The fixed point of a dynamic threshold in a device that holds nothing else: x = alpha (S - x).
static double share_of(const struct mmu_pg_params *pg, double shared)
{
	double alpha = exp2(pg->dynamic_th);

	return alpha / (1 + alpha) * shared;
}

static void take_threshold(const struct part *p, unsigned cls)
{
	const unsigned group = p->in_set->pg_map[cls];
	const struct mmu_pg_params *pg = &p->in->pg[group];
	bool is_static = pg->threshold == MMU_STATIC;
	bool size = device_given(&p->given, PROBE_DEVICE, "buffer") ||
		    device_given(&p->given, PROBE_DEVICE, "pools.ingress");
	double shared = (double)p->node->shared_bytes, reserve = (double)pg->reserved_bytes;
	double xoff, xon, alpha = exp2(pg->dynamic_th);

	if (!device_given(&p->given, group, "pfc.xoff") &&
		!device_given(&p->given, group, "pfc.dynamic_th"))
		return;
	value_is(p->to, cls, PROBE_THRESHOLD, !is_static);
	if (!is_static)
		value_is(p->to, cls, PROBE_ALPHA, alpha);
	if (!is_static && !size)
		return;
	xoff = is_static ? (double)pg->static_bytes : share_of(pg, shared);
	// With a dynamic threshold the limit rises by alpha with each byte that leaves.
	xon = is_static ? xoff - (double)pg->xon_offset_bytes
			: (alpha * shared - (double)pg->xon_offset_bytes) / (1 + alpha);
	xon = fmax(xon, (double)pg->xon_bytes);
	value_is(p->to, cls, PROBE_XOFF, reserve + xoff);
	if (!is_static)
		value_is(p->to, cls, PROBE_SHARED, shared);
	if (!device_given(&p->given, group, "pfc.xon") &&
		!device_given(&p->given, group, "pfc.xon_offset"))
		return;
	value_is(p->to, cls, PROBE_XON, reserve + xon);
	value_is(p->to, cls, PROBE_HYSTERESIS, xoff - xon);
}

// What belongs to the ingress group of a class: whether it is lossless, and its PFC.
static void take_group(const struct part *p, unsigned cls)
{
	const struct sw_class_params *c = &p->in_set->cls[cls];
	const unsigned group = p->in_set->pg_map[cls];
	const struct mmu_pg_params *pg = &p->in->pg[group];

	value_if(p, cls, PROBE_OBEYS, group, "lossless", !c->pfc ? 0 : p->sw->pause ? 2 : 1);
	if (!pg->lossless)
		return;
	take_threshold(p, cls);
	value_if(p, cls, PROBE_RESERVE, group, "pfc.reserved", (double)pg->reserved_bytes);
	value_if(p, cls, PROBE_HEADROOM, group, "pfc.headroom", (double)pg->headroom_bytes);
	value_if(p, cls, PROBE_QUANTA, group, "pfc.quanta", c->quanta);
	value_if(p, cls, PROBE_REFRESH_SHARE, group, "pfc.refresh", c->refresh_permille / 10.0);
}

static void take_tail(const struct part *p, unsigned cls)
{
	const unsigned group = p->in_set->pg_map[cls];
	const struct mmu_pg_params *pg = &p->in->pg[group];
	bool is_static = pg->threshold == MMU_STATIC;

	if (pg->lossless)
		return;
	if (device_given(&p->given, group, "drop.limit") ||
		device_given(&p->given, group, "drop.dynamic_th"))
		value_is(p->to, cls, PROBE_TAIL, !is_static);
	value_if(p, cls, PROBE_TAIL_ALPHA, group, "drop.dynamic_th", exp2(pg->dynamic_th));
}

// What belongs to an egress queue: marker, weight, strictness.
static void take_queue(const struct part *p, unsigned cls)
{
	const unsigned queue = p->out_set->queue_map[cls];
	const struct sw_class_params *c = &p->out_set->cls[queue];

	value_if(p, cls, PROBE_STRICT, queue, "strict", c->strict);
	if (!c->strict)
		value_if(p, cls, PROBE_WEIGHT, queue, "weight", c->weight);
	if (!c->mark)
		return;
	value_if(p, cls, PROBE_MARK, queue, "wred.mark", c->mark);
	value_if(p, cls, PROBE_MARK_AVERAGED, queue, "wred.weight", c->wred_exponent > 0);
	if (device_given(&p->given, queue, "wred.max") ||
		device_given(&p->given, queue, "wred.by_rate")) {
		value_is(p->to, cls, PROBE_KMIN, (double)c->red.kmin_bytes);
		value_is(p->to, cls, PROBE_KMAX, (double)c->red.kmax_bytes);
		value_is(p->to, cls, PROBE_PMAX, 100 * c->red.pmax);
	}
}

static void take_class(const struct part *p, unsigned cls)
{
	take_group(p, cls);
	take_tail(p, cls);
	take_queue(p, cls);
	if (!device_given(&p->given, PROBE_DEVICE, "dscp_map"))
		return;
	for (unsigned i = 0; i < 64; i++)
		p->to->dscps[cls] |= (uint64_t)(p->in_set->dscp_to_class[i] == cls) << i;
	value_is(p->to, cls, PROBE_DSCPS, __builtin_popcountll(p->to->dscps[cls]));
}

static void take_watchdog(const struct part *p)
{
	static const double action[] = {[PFCWD_DROP] = 1, [PFCWD_FORWARD] = 2, [PFCWD_ALERT] = 0};

	if (!device_given(&p->given, PROBE_DEVICE, "pfc_watchdog"))
		return;
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (!(p->out->wd_classes >> c & 1))
			continue;
		value_is(p->to, c, PROBE_WATCHDOG, action[p->out->wd.action]);
		value_is(p->to, c, PROBE_DETECT, (double)p->out->wd.detection / PS_PER_US);
		value_is(p->to, c, PROBE_RESTORE, (double)p->out->wd.restoration / PS_PER_US);
		value_is(p->to, c, PROBE_POLL, (double)p->out->wd.poll / PS_PER_US);
	}
}

static void take_device(const struct part *p)
{
	value_if(p, PROBE_DEVICE, PROBE_CELL, PROBE_DEVICE, "cell",
		p->sw->cell_bytes > 64 ? p->sw->cell_bytes : 1);
	if (!device_given(&p->given, PROBE_DEVICE, "pools.headroom"))
		return;
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		if (p->in->pg[p->in_set->pg_map[c]].lossless)
			value_is(p->to, c, PROBE_POOL, (double)p->sw->headroom_pool_bytes);
}

// The port of a switch whose link leads to a host; the first one where there is none of this name.
static unsigned port_to(const struct scene_node *n, const char *host)
{
	for (unsigned i = 0; host && i < n->n_ports; i++) {
		const char *peer = strchr(n->port[i].name, ':');

		if (peer && !strcmp(peer + 1, host))
			return i;
	}
	return 0;
}

// The switch of this name, or the only one.
static const struct scene_node *find_switch(
	const struct scene *s, const struct device_against_opts *o, struct err *err)
{
	const struct scene_node *only = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < s->n_nodes; i++) {
		if (s->node[i].kind != SCENE_SW)
			continue;
		if (o->device && !strcmp(s->node[i].name, o->device))
			return &s->node[i];
		only = &s->node[i];
		n++;
	}
	if (n == 1)
		return only;
	err_set(err, -EINVAL,
		n ? "--against %s: it has %u switches, and none is called %s; name one so"
		  : "--against %s: it has %u switches; it must have the device, as %s",
		o->path, n, o->device);
	return NULL;
}

static int take_scene(struct device_config *to, const struct scene *s,
	const struct yamldoc_node *doc, const struct device_against_opts *o, struct err *err)
{
	struct part p = {.to = to, .node = find_switch(s, o, err)};

	if (!p.node)
		return -EINVAL;
	p.given = (struct device_given){doc, p.node->name};
	p.sw = &p.node->u.sw;
	p.in = &p.sw->port[port_to(p.node, o->in)];
	p.out = &p.sw->port[port_to(p.node, o->out)];
	p.in_set = &p.sw->set[p.in->set];
	p.out_set = &p.sw->set[p.out->set];
	for (unsigned c = 0; c < PKT_CLASSES; c++) {
		if (o->classes >> c & 1 && !p.in_set->cls[c].pfc)
			return err_set(err, -EINVAL,
				"--against %s: class %u has no PFC there, and is to be measured; "
				"name another file, or other classes",
				o->path, c);
		take_class(&p, c);
	}
	take_watchdog(&p);
	take_device(&p);
	return 0;
}

static int take_text(struct device_config *to, const char *text, size_t size,
	const struct device_against_opts *o, struct err *err)
{
	const struct scene_opts opts = {.text = text, .size = size, .trusts = o->trusts};
	struct yamldoc_node *doc;
	struct arena a = {0};
	struct scene *s;
	int rc = compile_scene(&s, o->path, &opts, err);

	if (rc)
		return rc;
	rc = yamldoc_parse(&a, &doc, o->path, text, size, err);
	if (!rc)
		rc = take_scene(to, s, doc, o, err);
	arena_free(&a);
	scene_free(s);
	return rc;
}

// Reads a whole file of at most YAMLDOC_MAX_BYTES.
static int read_text(char **text, size_t *size, const char *path, struct err *err)
{
	int rc = infile_check(path, err);
	FILE *f = rc ? NULL : fopen(path, "r");

	if (rc)
		return rc;
	if (!f)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	*text = malloc(YAMLDOC_MAX_BYTES);
	if (!*text)
		rc = err_set(err, -ENOMEM, "no memory");
	else
		*size = fread(*text, 1, YAMLDOC_MAX_BYTES, f);
	if (!rc && ferror(f))
		rc = err_set(err, -EIO, "%s: %s", path, strerror(errno));
	fclose(f);
	return rc;
}

// Whether a text begins like SONiC's JSON: an object whose first key is in capitals.
static bool is_sonic(const char *text, size_t size)
{
	char head[256], key[64] = "";

	snprintf(head, sizeof(head), "%.*s", (int)(size < 255 ? size : 255), text);
	return sscanf(head, " { \"%63[A-Z0-9_|]\"", key) == 1 && isupper((unsigned char)*key);
}

static int take_sonic(
	struct device_config *to, const struct device_against_opts *o, struct err *err)
{
	const struct sonic_opts opts = {.paths = &o->path, .n_paths = 1, .port_map = o->port_map};
	struct sonic_import in;
	int rc = sonic_import(&in, &opts, err);

	if (!rc)
		rc = take_text(to, in.yaml, strlen(in.yaml), o, err);
	sonic_free(&in);
	return rc;
}

int device_against(struct device_config *to, const struct device_against_opts *o, struct err *err)
{
	char *text = NULL;
	size_t size = 0;
	int rc;

	*to = (struct device_config){.name = strdup(o->path)};
	rc = to->name ? read_text(&text, &size, o->path, err) : err_set(err, -ENOMEM, "no memory");
	if (!rc)
		rc = is_sonic(text, size) ? take_sonic(to, o, err)
					  : take_text(to, text, size, o, err);
	free(text);
	return rc;
}

void device_config_free(struct device_config *c)
{
	free(c->name);
	c->name = NULL;
}
