// SPDX-License-Identifier: BSD-3-Clause
// The option tables hold together: defaults read and are those of the algorithms, ranges fit, keys
// differ, a port's rows stand first in its class's tables, shapes in the order of their enum.
#include "defaults.h"
#include "scene_lab.h"

#include <string.h>

#include "schema/rows.h"

static unsigned rows_seen;

static void check_row(const struct opt_table *t, const struct opt *row)
{
	char buf[2048];

	rows_seen++;
	if (!row->key || !row->help || !*row->help)
		fail_msg("%s has a row without key or help", t->name);
	if (row->max < row->min)
		fail_msg("%s.%s: its range runs backwards", t->name, row->key);
	if (row->excludes && !opt_row(t, row->excludes))
		fail_msg("%s.%s excludes what is not there", t->name, row->key);
	if (row->type == OPT_ENUM && (!row->names || row->size != 4))
		fail_msg("%s.%s has no names or no field for them", t->name, row->key);
	if (row->flags & (OPT_F_AUTO | OPT_F_NONE) && row->type != OPT_BITS &&
		row->type != OPT_MAC && row->size < 8)
		fail_msg("%s.%s: auto and none do not fit its field", t->name, row->key);
	if (!row->sub && !row->def && !row->example)
		fail_msg("%s.%s: the reference has nothing to show", t->name, row->key);
	if ((row->type == OPT_MAP || row->type == OPT_KEYED || row->type == OPT_LIST) !=
			!!row->sub &&
		row->type != OPT_SECTION && row->type != OPT_ANY)
		fail_msg("%s.%s: a table belongs to maps and lists", t->name, row->key);
	for (const struct opt *o = t->row; o != row; o++)
		assert_string_not_equal(o->key, row->key);
	opt_wants(row, buf, sizeof(buf));
	assert_true(*buf && strlen(buf) + 1 < ERR_HINT);
}

// The list of keys that a message ends with is there to its end.
static void check_list(const struct opt_table *t)
{
	const char *last = t->n ? t->row[t->n - 1].key : "none";
	char hint[ERR_HINT];
	size_t n = strlen(opt_suggest(t, "a key that is like no other", hint, sizeof(hint)));

	if (n + 1 >= sizeof(hint) || n < strlen(last) || strcmp(hint + n - strlen(last), last) != 0)
		fail_msg("the keys of a %s are cut off: ... %s", t->name,
			hint + (n > 40 ? n - 40 : 0));
}

static void check(const struct opt_table *t, unsigned depth)
{
	assert_true(t->n <= OPT_ROWS);
	assert_true(depth < 8);
	check_list(t);
	for (unsigned i = 0; i < t->n; i++) {
		check_row(t, &t->row[i]);
		if (t->row[i].sub)
			check(t->row[i].sub, depth + 1);
	}
}

static void rows_are_whole(void **state)
{
	(void)state;
	check(&scene_opts_scene, 0);
	check(&scene_opts_control, 0);
	check(&scene_opts_connectx, 0);
	check(&scene_opts_rdma_ip, 0);
	assert_true(rows_seen > 150);
}

// Every default that is shown is what the table reads.
static void defaults_are_what_is_shown(void **state)
{
	struct spec_flow f = {0};
	char buf[100];

	(void)state;
	opt_init(&scene_opts_flow, &f);
	for (unsigned i = 0; i < scene_opts_flow.n; i++) {
		const struct opt *row = &scene_opts_flow.row[i];

		if (!row->def)
			continue;
		assert_true(opt_format(row, &f, buf, sizeof(buf)));
		assert_string_equal(buf, row->def);
	}
}

// A port's class is read over the switch's: the same rows at the same places, so that sources fit.
static void shares_its_first_rows(const struct opt_table *port, const struct opt_table *all)
{
	assert_true(port->n <= all->n);
	for (unsigned i = 0; i < port->n; i++) {
		const struct opt *a = &port->row[i], *b = &all->row[i];

		assert_string_equal(a->key, b->key);
		assert_int_equal(a->type, b->type);
		assert_int_equal(a->offset, b->offset);
		assert_int_equal(a->size, b->size);
		if (a->sub)
			shares_its_first_rows(a->sub, b->sub);
	}
}

static void test_port_class(void **state)
{
	(void)state;
	shares_its_first_rows(&scene_opts_port_class, &scene_opts_class);
	assert_ptr_equal(opt_row(&scene_opts_switch, "classes")->sub, &scene_opts_class);
	assert_ptr_equal(opt_row(&scene_opts_port, "classes")->sub, &scene_opts_port_class);
}

// The defaults of the tables are the algorithms' own defaults.
static void defaults_are_the_algorithms(void **state)
{
	struct qcn_cp_params cp;
	struct qcn_rp_params rp;
	struct iqcn_params iq;
	struct fast_cnp_params fc;
	struct spec_fast_cnp f = {0};
	struct spec_qcn q = {0};
	struct spec_qcn_rp r = {0};
	struct spec_iqcn i = {0};

	(void)state;
	qcn_cp_defaults(&cp);
	opt_init(&scene_opts_qcn, &q);
	assert_int_equal(q.set_point, cp.set_point);
	assert_int_equal(q.weight, cp.weight);
	assert_int_equal(q.sample_base, cp.sample_base);
	assert_int_equal(q.randomise, 10 * cp.randomise_percent);
	assert_int_equal(q.quant, cp.quant);
	qcn_rp_defaults(&rp, 10 * RATE_GBPS);
	opt_init(&scene_opts_qcn_rp, &r);
	assert_int_equal(r.randomise, 10 * rp.randomise_percent);
	assert_int_equal(r.min_dec_fac, 10 * rp.min_dec_fac);
	assert_true(r.p.min_rate == rp.min_rate);
	assert_true(r.p.ai_rate == rp.ai_rate);
	assert_true(r.p.hai_rate == rp.hai_rate);
	assert_true(r.p.time_reset_ps == rp.time_reset_ps);
	assert_true(r.p.byte_reset == rp.byte_reset);
	assert_int_equal(r.p.threshold, rp.threshold);
	assert_int_equal(r.p.gd, rp.gd);
	assert_int_equal(r.p.fr_convention, rp.fr_convention);
	assert_int_equal(r.p.half_from, rp.half_from);
	assert_int_equal(r.p.target_test, rp.target_test);
	assert_true(r.p.hai_after_ps == rp.hai_after_ps);
	assert_true(r.p.hai_after_octets == rp.hai_after_octets);
	assert_true(r.max_rps == OPT_NONE && !rp.max_rps);
	iqcn_defaults(&iq);
	opt_init(&scene_opts_iqcn, &i);
	assert_int_equal(i.entries, iq.entries);
	assert_true(i.rpg_time_reset == iq.rpg_time_reset_ps);
	assert_true(i.margin == iq.margin);
	assert_true(i.path_delay == iq.path_delay_ps);
	assert_true(i.entry_gap == iq.entry_gap_ps);
	assert_int_equal(i.port_burst, iq.port_burst);
	fast_cnp_defaults(&fc);
	opt_init(&scene_opts_fast_cnp, &f);
	assert_int_equal(f.entries, fc.entries);
	assert_true(f.interval == fc.interval_ps);
	assert_true(f.age == fc.age_ps);
}

// The least and greatest value that a row takes compile.
static void ranges_are_the_algorithms(void **state)
{
	struct qcn_cp_params cp;
	struct qcn_cp_cfg cfg;

	(void)state;
	for (unsigned end = 0; end < 2; end++) {
		qcn_cp_defaults(&cp);
#define END(key) (end ? opt_row(&scene_opts_qcn, key)->max : opt_row(&scene_opts_qcn, key)->min)
		cp.set_point = (uint64_t)END("set_point");
		cp.weight = (int)END("weight");
		cp.sample_base = (uint64_t)END("sample_base");
		assert_int_equal(qcn_cp_cfg_init(&cfg, &cp), 0);
#undef END
	}
}

static void defaults_parse(void **state)
{
	struct spec_connectx cx = {0};
	struct spec_rdma_ip ip = {0};

	(void)state;
	opt_init(&scene_opts_connectx, &cx);
	opt_init(&scene_opts_rdma_ip, &ip);
	assert_int_equal(cx.rpg_byte_reset, 32767);
	assert_int_equal(cx.dce_tcp_g, 1019);
	assert_int_equal(ip.clock, 322265625);
	assert_true(ip.max_rate == OPT_AUTO);
}

// standards.md 4.3: NVIDIA's names, beside those that each profile has.
static void connectx_has_mlx5_names(void **state)
{
	static const char *const names[] = {"rpg_time_reset", "rpg_byte_reset", "rpg_threshold",
		"rpg_ai_rate", "rpg_hai_rate", "rpg_gd", "rpg_min_dec_fac", "rpg_min_rate",
		"rate_to_set_on_first_cnp", "dce_tcp_g", "dce_tcp_rtt", "clamp_tgt_rate",
		"clamp_tgt_rate_after_time_inc", "rate_reduce_monitor_period",
		"initial_alpha_value"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(opt_row(&scene_opts_connectx, names[i]));
	assert_non_null(opt_row(&scene_opts_connectx, "profile"));
	assert_non_null(opt_row(&scene_opts_connectx, "initial_rate"));
	assert_int_equal(scene_opts_connectx.n, 2 + sizeof(names) / sizeof(names[0]));
}

// An option that is a register's field has its name without "dcqcn_".
static void rdma_ip_has_the_registers_names(void **state)
{
	static const char *const fields[] = {"nocnp_timer_th", "byte_cnt_th", "alpha_timer_th",
		"rx_cnp_merge_period", "max_rate", "min_rate", "rate_ai", "rate_hai", "upd_alpha_g",
		"alpha_rate_shift", "phase_threshold", "min_dec_fac"};
	struct rdma_ip_place p;
	char name[64];

	(void)state;
	for (unsigned i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		assert_non_null(opt_row(&scene_opts_rdma_ip, fields[i]));
		snprintf(name, sizeof(name), "dcqcn_%s", fields[i]);
		assert_int_equal(rdma_ip_reg_find(&p, name, 0), 0);
	}
	assert_non_null(opt_row(&scene_opts_rdma_ip, "cnp_timer_thrd"));
	assert_non_null(opt_row(&scene_opts_rdma_ip, "cnp_int_en"));
	assert_true(scene_opts_rdma_ip.n <= OPT_ROWS);
}

static void shapes_stand_in_order(void **state)
{
	static const char *const name[SPEC_SHAPES] = {
		"star", "dumbbell", "parking_lot", "leaf_spine", "ring"};

	(void)state;
	assert_int_equal(scene_opts_topology.n, SPEC_SHAPES);
	for (unsigned i = 0; i < SPEC_SHAPES; i++) {
		const struct opt *row = &scene_opts_topology.row[i];

		assert_string_equal(row->key, name[i]);
		assert_string_equal(row->sub->name, name[i]);
		assert_int_equal(row->offset,
			offsetof(struct spec_topology, net) + i * sizeof(struct spec_net));
	}
}

// Numbers of nodes must be given; the options of links have defaults.
static void counts_are_required(void **state)
{
	(void)state;
	for (unsigned i = 0; i < SPEC_SHAPES; i++) {
		const struct opt_table *t = scene_opts_topology.row[i].sub;

		assert_non_null(opt_row(t, "hosts"));
		assert_non_null(opt_row(t, "rate"));
		assert_true(!opt_row(t, "trunk_rate") == (i == SPEC_STAR));
		for (unsigned k = 0; k < t->n; k++) {
			const struct opt *row = &t->row[k];

			assert_true((row->type == OPT_UINT) == !!(row->flags & OPT_F_REQUIRED));
			assert_null(row->def);
			assert_true(row->type != OPT_UINT || row->min > 0);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_whole),
		cmocka_unit_test(defaults_are_what_is_shown),
		cmocka_unit_test(test_port_class),
		cmocka_unit_test(defaults_are_the_algorithms),
		cmocka_unit_test(ranges_are_the_algorithms),
		cmocka_unit_test(defaults_parse),
		cmocka_unit_test(connectx_has_mlx5_names),
		cmocka_unit_test(rdma_ip_has_the_registers_names),
		cmocka_unit_test(shapes_stand_in_order),
		cmocka_unit_test(counts_are_required),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
