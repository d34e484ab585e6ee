// SPDX-License-Identifier: BSD-3-Clause
// Captures that hosts send: their pace, rewriting and contents, and the frames that are not sent
// unchanged.
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "int.h"

#define NUMBER_OF(max) "a number, 0.." #max

static bool read_number(const char *text, uint64_t max, uint32_t *number)
{
	uint64_t v;

	if (units_parse(UNITS_COUNT, text, &v) != UNITS_OK || v > max)
		return false;
	*number = (uint32_t)v;
	return true;
}

// One side of a rule. What would be right; NULL: it is.
static const char *read_value(
	enum rewrite_field field, const char *text, struct rewrite_value *v, bool *v6)
{
	switch (field) {
	case REWRITE_MAC:
	case REWRITE_SRC_MAC:
	case REWRITE_DST_MAC:
		return units_parse_mac(text, v->bytes) ? NULL
						       : "a MAC address, as in 02:00:00:00:00:01";
	case REWRITE_IP:
	case REWRITE_SRC_IP:
	case REWRITE_DST_IP:
		*v6 = strchr(text, ':') != NULL;
		return inet_pton(*v6 ? AF_INET6 : AF_INET, text, v->bytes) == 1
			       ? NULL
			       : "an IP address, as in 10.0.0.1 or fd00::1";
	case REWRITE_VLAN:
		if (strcmp(text, "none") == 0) {
			v->number = REWRITE_UNTAGGED;
			return NULL;
		}
		return read_number(text, 4094, &v->number) ? NULL : NUMBER_OF(4094) ", or none";
	case REWRITE_DSCP:
		return read_number(text, 63, &v->number) ? NULL : NUMBER_OF(63);
	default:
		return read_number(text, 0xffffff, &v->number) ? NULL : NUMBER_OF(16777215);
	}
}

static int wrong_value(struct draft *b, const struct spec_rewrite *spec, const char *key,
	const char *text, const char *want)
{
	return yamldoc_err(b->err, opt_source(&scene_opts_rewrite, spec, key),
		"'%s' is no value of %s; it is %s", text,
		opt_row(&scene_opts_rewrite, "field")->names[spec->field], want);
}

static int read_rule(struct draft *b, struct rewrite_rule *r, const struct yamldoc_node *at)
{
	struct spec_rewrite spec = {0};
	bool v6 = false;
	const char *want;
	int rc;

	opt_init(&scene_opts_rewrite, &spec);
	rc = opt_apply(&scene_opts_rewrite, &spec, at, b->err);
	if (!rc)
		rc = opt_require(&scene_opts_rewrite, &spec, at, b->err);
	if (rc)
		return rc;
	*r = (struct rewrite_rule){.field = (enum rewrite_field)spec.field};
	r->any = strcmp(spec.from, "any") == 0;
	want = read_value(r->field, spec.to, &r->to, &r->v6);
	if (want)
		return wrong_value(b, &spec, "to", spec.to, want);
	want = r->any ? NULL : read_value(r->field, spec.from, &r->from, &v6);
	if (want)
		return wrong_value(b, &spec, "from", spec.from, want);
	if (!r->any && v6 != r->v6)
		return yamldoc_err(b->err, opt_source(&scene_opts_rewrite, &spec, "to"),
			"%s and %s are addresses of two versions of IP; give both of one",
			spec.from, spec.to);
	return 0;
}

static int read_rules(struct draft *b, struct cap_play_params *p, const struct yamldoc_node *list)
{
	struct rewrite_rule *rule;
	int rc = 0;

	if (!list || !list->n)
		return 0;
	rule = draft_get(b, list->n * sizeof(*rule));
	if (!rule)
		return -ENOMEM;
	for (unsigned i = 0; !rc && i < list->n; i++)
		rc = read_rule(b, &rule[i], list->item[i].value);
	p->rule = rule;
	p->n_rules = list->n;
	return rc;
}

static void warn_no_hit(struct draft *b, const struct yamldoc_node *rule)
{
	const struct yamldoc_node *from = yamldoc_get(rule, "from");

	draft_warn(b, rule,
		"this rewrite of %s%s%s fits no frame of the capture, so it changes nothing; "
		"`quench decode` shows what the frames have",
		yamldoc_get(rule, "field")->text, from ? " " : "", from ? from->text : "");
}

// Warns of frames of a capture that are not sent as they are in the file.
static void warn_of(struct draft *b, const struct yamldoc_node *at, const struct cap_scan *c,
	const struct cap_play_params *p, const struct yamldoc_node *rewrite)
{
	if (c->seen.backwards)
		draft_warn(b, at,
			"the capture's clock goes back at frame %llu, %llu time%s in all; such a "
			"frame is due with the one before it",
			(unsigned long long)c->seen.first_backwards,
			(unsigned long long)c->seen.backwards, plural(c->seen.backwards));
	if (c->seen.cut && p->pad)
		draft_warn(b, at, "filled up with zeros: %llu frame%s that the capture cut",
			(unsigned long long)c->seen.cut, plural(c->seen.cut));
	else if (c->seen.cut)
		draft_warn(b, at,
			"not replayed: %llu frame%s that the capture cut; `cut: pad` fills such up "
			"with zeros",
			(unsigned long long)c->seen.cut, plural(c->seen.cut));
	if (c->seen.oversized)
		draft_warn(b, at, "not replayed: %llu frame%s of more than %d bytes",
			(unsigned long long)c->seen.oversized, plural(c->seen.oversized),
			PKT_MAX_LEN);
	for (unsigned i = 0; i < p->n_rules; i++)
		if (!c->hits[i])
			warn_no_hit(b, rewrite->item[i].value);
}

static void fill_player(struct scene_replay *to, const struct cap_scan *c, tstamp start)
{
	to->player = (struct player_params){
		.start = start,
		.frames = c->seen.frames,
		.loops = to->play.loops,
		.took = c->took,
		.gap = c->gap,
		.untimed = to->play.pace == CAP_TOP,
		.longest = c->longest,
		.mark = c->mark,
		.n_marks = c->n_marks,
		.mark_step = c->mark_step,
	};
}

static const struct opt_table *replay_table(void)
{
	return opt_row(&scene_opts_host, "replay")->sub;
}

// The files, as paths from the scenario's folder.
static int read_paths(struct draft *b, const struct spec_replay *r, struct cap_play_params *p)
{
	const struct yamldoc_node *more = r->merge;
	bool is_list = more && more->type == YAMLDOC_LIST;
	unsigned n = !more ? 0 : is_list ? more->n : !yamldoc_is_null(more);
	const char **path = draft_get(b, (n + 1) * sizeof(*path));

	if (!path)
		return -ENOMEM;
	path[0] = hardware_beside(b, r->file);
	for (unsigned i = 0; i < n; i++) {
		const struct yamldoc_node *at = is_list ? more->item[i].value : more;

		if (at->type != YAMLDOC_SCALAR || yamldoc_is_null(at))
			return yamldoc_err(
				b->err, at, "merge: write a list of captures, as in [second.pcap]");
		path[i + 1] = hardware_beside(b, at->text);
	}
	for (unsigned i = 0; i <= n; i++)
		if (!path[i])
			return err_set(b->err, -ENOMEM, "out of memory");
	p->path = path;
	p->n_paths = n + 1;
	return 0;
}

// The frames of a host's captures and how they are sent, whichever side sends them.
static int read_play(struct draft *b, const struct spec_replay *r, struct cap_play_params *p)
{
	const struct opt_table *t = replay_table();
	int rc = read_paths(b, r, p);

	p->loops = r->loops;
	p->gap = r->gap;
	p->pad = r->cut == SPEC_CUT_PAD;
	if (!rc && cap_pace_parse(r->speed, p))
		rc = yamldoc_err(b->err, opt_source(t, r, "speed"), "'%s' is no speed; it is %s",
			r->speed, cap_pace_wanted(r->speed));
	return rc ? rc : read_rules(b, p, r->rewrite);
}

// The sides of the captures of host `n`, which are learned for the first of the two hosts that
// replay them.
static int read_split(struct draft *b, struct draft_node *n, const struct cap_play_params *p,
	struct scene_capture *c)
{
	const struct spec_replay *r = &n->host->replay;
	const struct yamldoc_node *at = opt_source(replay_table(), r, "split");
	struct cap_split_params split;
	struct err why;

	if (n->split)
		return 0;
	if (cap_split_parse(r->split, &split, &why))
		return yamldoc_err(b->err, at, "'%s' is no split; %s", r->split, why.text);
	if (cap_split_learn(&c->split, &split, p->path, p->n_paths, &why))
		return yamldoc_err(
			b->err, split.by == CAP_SPLIT_NONE ? n->key : at, "%s", why.text);
	n->split = c->split;
	return 0;
}

// Reads what host `n` sends of the captures that `of` names, which is n itself or the host whose
// other side n has.
static int read_capture(
	struct draft *b, struct draft_node *n, struct draft_node *of, struct scene_replay *to)
{
	const struct spec_replay *r = &of->host->replay;
	struct scene_node *node = &b->s->node[n->index];
	struct scene_capture *c = draft_get(b, sizeof(*c));
	struct err why;
	bool sides;
	int rc = c ? read_play(b, r, &to->play) : -ENOMEM;

	if (rc)
		return rc;
	c->next = b->captures;
	b->captures = c;
	rc = read_split(b, of, &to->play, c);
	if (rc)
		return rc;
	sides = cap_split_found(of->split) != CAP_SPLIT_NONE;
	to->play.split = sides ? of->split : NULL;
	to->play.side = (enum cap_side)r->side;
	if (n != of)
		to->play.side = to->play.side == CAP_CLIENT ? CAP_SERVER : CAP_CLIENT;
	// The host that has the file sends all frames if there are not two sides.
	if ((sides || n == of) && cap_scan(&c->scan, &to->play, &why))
		return yamldoc_err(b->err, opt_source(replay_table(), r, "file"), "%s", why.text);
	if (sides)
		node->side = to->play.side == CAP_CLIENT ? "client" : "server";
	n->scan = to->scan = &c->scan;
	if (n == of)
		warn_of(b, opt_source(replay_table(), r, "file"), &c->scan, &to->play, r->rewrite);
	fill_player(to, &c->scan, r->start);
	return 0;
}

// A NIC sends nothing that is longer than its port's frames.
static int check_longest(struct draft *b, const struct draft_node *n, uint16_t longest)
{
	uint32_t mtu = b->s->node[n->index].port[0].mtu;
	const struct opt_table *t = replay_table();

	if (hardware_only_replays(n) || longest <= mtu)
		return 0;
	return yamldoc_err(b->err, opt_source(t, &n->host->replay, "file"),
		"the capture has a frame of %u bytes, and frames of '%s' have %u at most; give its "
		"link mtu: %u",
		longest, n->name, mtu, longest);
}

// A key that says something else than its default, and that a host with other_side_of takes from
// the other host. NULL: there is none.
static const char *not_its_own(const struct spec_replay *r)
{
	struct spec_replay def = {0};

	opt_init(replay_table(), &def);

	const struct {
		const char *key;
		bool differs;
	} keys[] = {
		{"merge", r->merge && (r->merge->n || r->merge->text)},
		{"split", strcmp(r->split, def.split) != 0},
		{"side", r->side != def.side},
		{"speed", strcmp(r->speed, def.speed) != 0},
		{"loops", r->loops != def.loops},
		{"start", r->start != def.start},
		{"gap", r->gap != def.gap},
		{"cut", r->cut != def.cut},
		{"rewrite", r->rewrite && r->rewrite->n},
	};

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].differs)
			return keys[i].key;
	return NULL;
}

// The host whose other side `n` has, as its `other_side_of` says.
static int find_other(struct draft *b, struct draft_node *n, struct draft_node **other)
{
	const struct opt_table *t = replay_table();
	const char *key = not_its_own(&n->host->replay);
	const struct spec_replay *r = &n->host->replay;
	const struct yamldoc_node *at = opt_source(t, r, "other_side_of");
	int rc = draft_find_node(b, other, r->other_side_of, at);

	if (rc)
		return rc;
	if (strcmp(r->file, "none") != 0)
		return yamldoc_err(b->err, at,
			"host '%s' has the other side of '%s', so it has no file of its own; write "
			"file: none",
			n->name, r->other_side_of);
	if (key)
		return yamldoc_err(b->err, opt_source(t, r, key),
			"host '%s' takes %s from '%s', whose other side it has; write it there",
			n->name, key, r->other_side_of);
	if (*other == n || (*other)->is_switch || !hardware_replays(*other) ||
		strcmp((*other)->host->replay.file, "none") == 0)
		return yamldoc_err(b->err, at,
			"'%s' replays no capture, so it has no other side; name a host that does",
			r->other_side_of);
	if ((*other)->other_side && (*other)->other_side != n)
		return yamldoc_err(b->err, at,
			"hosts '%s' and '%s' both have the other side of '%s'; a capture has two",
			(*other)->other_side->name, n->name, (*other)->name);
	n->other_side = *other;
	(*other)->other_side = n;
	b->s->node[n->index].other_side = (uint16_t)((*other)->index + 1);
	b->s->node[(*other)->index].other_side = (uint16_t)(n->index + 1);
	return 0;
}

// Gives a host its frames, if there are any.
static int fill_replay(struct draft *b, struct draft_node *n, struct scene_replay *replay)
{
	struct scene_node *to = &b->s->node[n->index];
	int rc = check_longest(b, n, replay->scan->longest);

	if (rc)
		return rc;
	b->s->needs_bytes = true;
	if (!replay->scan->seen.frames)
		return 0;
	to->replay = replay;
	if (to->kind == SCENE_REPLAY)
		to->u.replay.play = replay->player;
	if (replay->scan->longest > b->s->max_frame)
		b->s->max_frame = replay->scan->longest;
	return 0;
}

int hardware_replay(struct draft *b, struct draft_node *n)
{
	const struct spec_replay *r = &n->host->replay;
	struct scene_node *to = &b->s->node[n->index];
	struct scene_replay *replay = draft_get(b, sizeof(*replay));
	struct draft_node *of = n;
	int rc;

	if (!replay)
		return err_set(b->err, -ENOMEM, "out of memory");
	if (opt_require(replay_table(), r, opt_source(&scene_opts_host, n->host, "replay"), b->err))
		return -EINVAL;
	if (hardware_only_replays(n)) {
		to->kind = SCENE_REPLAY;
		to->u.replay = (struct replay_params){.name = n->name,
			.rate = to->port[0].rate,
			.pfc_obey = n->host->pfc_honour ? hardware_pfc_classes(n) : 0,
			.pause_honour = hardware_obeys_pause(n, 0)};
	}
	rc = r->other_side_of ? find_other(b, n, &of) : 0;
	if (rc || (of == n && strcmp(r->file, "none") == 0))
		return rc;
	replay->cls = r->cls;
	rc = read_capture(b, n, of, replay);
	return rc ? rc : fill_replay(b, n, replay);
}
