// SPDX-License-Identifier: BSD-3-Clause
// The features of the switch that sw_bench prices: each switched on in the parameters of a plain
// one.
#include "../unit/defaults.h"
#include "sw_feature.h"

#include <string.h>

#define CLS FEATURE_CLS
#define KB  1000

void feature_none(struct feature_params *f)
{
	static const char *const name[FEATURE_PORTS + 1] = {
		"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

	*f = (struct feature_params){
		.p =
			{
				.name = "bench",
				.seed = 1,
				.n_ports = FEATURE_PORTS,
				.port = f->port,
				.set = &f->set,
				.n_sets = 1,
				.buffer_bytes = 16000 * KB,
				.fdb = f->fdb,
				.n_fdb = FEATURE_PORTS,
				.shared_hdrs = FEATURE_HOSTS + 1,
				.framing = {4, 24, 0, 0},
			},
	};
	memset(f->set.dscp_to_class, CLS, sizeof(f->set.dscp_to_class));
	for (unsigned c = 0; c < PKT_CLASSES; c++)
		f->set.queue_map[c] = f->set.pg_map[c] = (uint8_t)c;
	f->set.cls[CLS].weight = 50;
	for (unsigned i = 0; i <= FEATURE_IDLE; i++) {
		f->port[i] = (struct sw_port_params){
			.name = name[i], .rate = 100 * RATE_GBPS, .mtu = 1500};
		for (unsigned c = 0; c < MMU_PGS; c++)
			f->port[i].pg[c].static_bytes = 1000 * KB;
		f->fdb[i] = (struct sw_fdb_params){
			.mac = {2, 0, 0, 0, 0, (uint8_t)i}, .port = (uint16_t)i};
	}
}

static void monitor(struct feature_params *f)
{
	f->p.monitor = true;
}

static void marker(struct feature_params *f, enum sw_mark mark, uint64_t kmin, uint64_t kmax)
{
	f->set.cls[CLS].mark = mark;
	f->set.cls[CLS].red = (struct red_params){kmin, kmax, 0.2};
}

static void mark_below(struct feature_params *f)
{
	marker(f, SW_MARK_DEQUEUE, 300 * KB, 400 * KB);
}

static void mark_dequeue(struct feature_params *f)
{
	marker(f, SW_MARK_DEQUEUE, 100 * KB, 400 * KB);
}

static void mark_enqueue(struct feature_params *f)
{
	marker(f, SW_MARK_ENQUEUE, 100 * KB, 400 * KB);
}

static void wred_drop(struct feature_params *f)
{
	f->set.cls[CLS].wred = SW_WRED_NOT_ECT;
	f->set.cls[CLS].wred_drop = (struct red_params){100 * KB, 400 * KB, 0.2};
}

static void wred_below(struct feature_params *f)
{
	wred_drop(f);
	f->set.cls[CLS].wred_drop.kmin_bytes = 300 * KB;
}

// The curve decides about each frame. One in 26 million is dropped, so that the queue stands.
static void wred_not_ect(struct feature_params *f)
{
	wred_drop(f);
	f->set.cls[CLS].wred_drop.pmax = 1e-7;
	f->not_ect = true;
}

// Frames come at twice the rate: each second one is dropped where the queue has all it may have.
static void tail_drop(struct feature_params *f)
{
	f->set.cls[CLS].tail_limit_bytes = FEATURE_QUEUED * (FEATURE_LEN + PKT_FCS);
	f->load_percent = 200;
}

// The groups of the eight ports have it.
static void pool_drop(struct feature_params *f)
{
	for (unsigned i = 0; i < FEATURE_PORTS; i++)
		f->port[i].pg[CLS].static_bytes =
			FEATURE_QUEUED / FEATURE_HOSTS * (FEATURE_LEN + PKT_FCS);
	f->load_percent = 200;
}

// The curve holds the queue where it drops what comes in excess.
static void wred_drops(struct feature_params *f, unsigned load_percent)
{
	wred_drop(f);
	f->set.cls[CLS].wred_drop.pmax = 0.9;
	f->not_ect = true;
	f->load_percent = load_percent;
}

static void wred_half(struct feature_params *f)
{
	wred_drops(f, 200);
}

static void wred_tenth(struct feature_params *f)
{
	wred_drops(f, 111);
}

static void wred_average(struct feature_params *f)
{
	mark_dequeue(f);
	f->set.cls[CLS].wred_exponent = 9;
}

static void lossless(struct feature_params *f, uint64_t xoff)
{
	f->set.cls[CLS].pfc = true;
	f->set.cls[CLS].quanta = 65535;
	f->set.cls[CLS].refresh_permille = 500;
	for (unsigned i = 0; i < FEATURE_PORTS; i++)
		f->port[i].pg[CLS] = (struct mmu_pg_params){
			.lossless = true,
			.static_bytes = xoff,
			.headroom_bytes = 100 * KB,
			.xon_offset_bytes = 8 * FEATURE_LEN,
		};
}

static void pfc(struct feature_params *f)
{
	lossless(f, 1000 * KB);
}

// Groups go to XOFF and back as the flows' shares of the queue vary.
static void pfc_pauses(struct feature_params *f)
{
	lossless(f, 35 * FEATURE_LEN);
}

static void dynamic(struct feature_params *f)
{
	for (unsigned i = 0; i < FEATURE_PORTS; i++) {
		f->port[i].pg[CLS].threshold = MMU_DYNAMIC;
		f->port[i].pg[CLS].dynamic_th = 0;
	}
}

static void pools(struct feature_params *f)
{
	f->p.egress_bytes[0] = f->p.egress_bytes[1] = 12000 * KB;
	for (unsigned i = 0; i < FEATURE_PORTS; i++)
		f->port[i].queue[CLS] = (struct mmu_queue_params){.limited = true,
			.threshold = MMU_DYNAMIC,
			.dynamic_th = 1,
			.reserved_bytes = 1664};
}

static void cells(struct feature_params *f)
{
	f->p.cell_bytes = 208;
}

static void headroom_pool(struct feature_params *f)
{
	pfc(f);
	f->p.headroom_pool_bytes = 1000 * KB;
}

static void maps(struct feature_params *f)
{
	f->set.queue_map[4] = f->set.pg_map[4] = CLS;
}

// Three classes share a queue.
static void classes_of_queue(struct feature_params *f)
{
	maps(f);
	f->classes = 3;
	for (unsigned cls = CLS - 2; cls < CLS; cls++) {
		f->set.dscp_to_class[8 * cls] = (uint8_t)cls;
		f->set.queue_map[cls] = CLS;
	}
}

static void classes_of_queue_in_cells(struct feature_params *f)
{
	classes_of_queue(f);
	cells(f);
}

static void one_group(struct feature_params *f)
{
	classes_of_queue(f);
	f->set.pg_map[CLS - 2] = f->set.pg_map[CLS - 1] = CLS;
}

// At the port's own rate, so that nothing is held.
static void shapers(struct feature_params *f)
{
	for (unsigned i = 0; i < FEATURE_PORTS; i++) {
		f->port[i].shaper_rate = f->port[i].max_rate[CLS] = 100 * RATE_GBPS;
		f->port[i].shaper_burst = 64 * KB;
	}
}

// Each tenth frame is one that the class is guaranteed.
static void guarantees(struct feature_params *f)
{
	shapers(f);
	for (unsigned i = 0; i < FEATURE_PORTS; i++)
		f->port[i].min_rate[CLS] = 10 * RATE_GBPS;
}

static void watchdog(struct feature_params *f)
{
	pfc(f);
	for (unsigned i = 0; i < FEATURE_PORTS; i++) {
		f->port[i].wd_classes = 1 << CLS;
		f->port[i].wd = (struct pfcwd_params){.poll = 100 * PS_PER_US,
			.detection = 200 * PS_PER_US,
			.restoration = 200 * PS_PER_US};
	}
}

static void shut_elsewhere(struct feature_params *f)
{
	lossless(f, 1000 * KB);
	f->port[FEATURE_IDLE].wd_classes = 1 << CLS;
	f->port[FEATURE_IDLE].wd = (struct pfcwd_params){.poll = 100 * PS_PER_US,
		.detection = 200 * PS_PER_US,
		.restoration = 200 * PS_PER_US,
		.action = PFCWD_DROP};
	f->p.n_ports = f->p.n_fdb = FEATURE_IDLE + 1;
	f->shut_elsewhere = true;
}

// Congested all the time: a frame of the most that are sampled has a CNM.
static void qcn(struct feature_params *f)
{
	struct sw_qcn_params *q = &f->set.cls[CLS].qcn;

	q->on = true;
	q->cnm_class = 6;
	qcn_cp_defaults(&q->cp);
}

static void iqcn(struct feature_params *f)
{
	f->p.iqcn_on = true;
	iqcn_defaults(&f->p.iqcn);
	f->p.iqcn.entries = 64;
	f->set.cls[CLS].heavy_bytes = 400 * KB;
	f->set.cls[CLS].heavy_off_bytes = 300 * KB;
}

static void own_headers(struct feature_params *f)
{
	f->own_headers = true;
}

// Marks of flows that no ACK has told of.
static void fast_cnp(struct feature_params *f)
{
	mark_dequeue(f);
	f->p.fast_cnp_on = true;
	fast_cnp_defaults(&f->p.fast_cnp.table);
	f->p.fast_cnp.cnp_class = 6;
	f->set.cls[CLS].fast_cnp = SW_FAST_CNP_INSTEAD;
}

// Marks of flows of which one ACK has told, which is not forgotten.
static void fast_cnp_known(struct feature_params *f)
{
	fast_cnp(f);
	f->p.fast_cnp.table.age_ps = 1000 * PS_PER_S;
	f->acks = true;
}

// A set of one way: the frames stay on one port, the hash is made all the same.
static void ecmp(struct feature_params *f)
{
	f->own_headers = true;
	f->ecmp.port[0] = 1ull << FEATURE_HOSTS;
	f->fdb[FEATURE_HOSTS].ecmp = 1;
	f->p.ecmp = &f->ecmp;
	f->p.n_ecmp = 1;
}

const struct feature features[] = {
	{"monitor", "histograms of the queue, curves of markers", monitor},
	{"mark_below", "marker at dequeue, queue below Kmin", mark_below},
	{"mark_dequeue", "marker at dequeue, queue between Kmin and Kmax", mark_dequeue},
	{"mark_enqueue", "marker at enqueue, queue between Kmin and Kmax", mark_enqueue},
	{"wred_below", "drop curve, queue below drop_min", wred_below},
	{"wred_drop", "drop curve, queue above drop_min, frames ECT", wred_drop},
	{"wred_not_ect", "drop curve, queue above drop_min, frames Not-ECT", wred_not_ect},
	{"wred_tenth", "drop curve, one of ten frames dropped", wred_tenth},
	{"wred_half", "drop curve, half of the frames dropped", wred_half},
	{"tail_drop", "tail limit, half of the frames dropped", tail_drop},
	{"pool_drop", "group at its limit, half of the frames dropped", pool_drop},
	{"wred_average", "marker at dequeue on an average", wred_average},
	{"dynamic_th", "dynamic threshold", dynamic},
	{"pfc", "lossless, XOFF not reached", pfc},
	{"pfc_pauses", "lossless, XOFF and XON sent", pfc_pauses},
	{"headroom_pool", "lossless, a headroom pool", headroom_pool},
	{"pools", "two-sided: egress pools, dynamic queue limits", pools},
	{"cells", "two-sided: cells of 208 bytes", cells},
	{"maps", "classes to queues and groups", maps},
	{"queue_of_3", "three classes in one queue and one group", one_group},
	{"groups_of_3", "three classes in one queue, each in its group", classes_of_queue},
	{"groups_in_cells", "the same, two-sided: cells of 208 bytes", classes_of_queue_in_cells},
	{"shapers", "of port and queue", shapers},
	{"guarantees", "of port and queue, a tenth of the rate guaranteed", guarantees},
	{"watchdog", "PFC watchdog, lossless", watchdog},
	{"shut_elsewhere", "watchdog drops the class at a port that is not used", shut_elsewhere},
	{"qcn", "congestion point of QCN, congested", qcn},
	{"iqcn", "iQCN looks at the queue and marks data", iqcn},
	{"fast_cnp", "Fast CNP asks for the flow of each marked frame, and knows none", fast_cnp},
	{"fast_cnp_known", "Fast CNP knows all flows, and a flow gets at most one CNP in 50 us",
		fast_cnp_known},
	{"own_headers", "frames with headers of their own (real time)", own_headers},
	{"ecmp", "equal ways, headers of their own", ecmp},
};
const unsigned n_features = sizeof(features) / sizeof(features[0]);

static void none(struct feature_params *f)
{
	(void)f;
}

static void bench(struct feature_params *f)
{
	monitor(f);
	mark_dequeue(f);
	pfc_pauses(f);
}

static void all(struct feature_params *f)
{
	wred_drop(f);
	wred_average(f);
	headroom_pool(f);
	pools(f);
	cells(f);
	maps(f);
	shapers(f);
	watchdog(f);
	pfc_pauses(f);
	qcn(f);
	iqcn(f);
	fast_cnp(f);
	ecmp(f);
	monitor(f);
	for (unsigned i = 0; i < FEATURE_PORTS; i++) {
		f->port[i].pg[CLS].threshold = MMU_DYNAMIC;
		f->port[i].pg[CLS].dynamic_th = -8;
		f->port[i].queue[CLS].lossless = true;
	}
}

const struct feature *feature_named(const char *name)
{
	static const struct feature others[] = {
		{"off", "everything off", none},
		{"all", "everything on", all},
		{"bench", "monitor, mark_dequeue, pfc_pauses", bench},
	};

	for (unsigned i = 0; i < n_features; i++)
		if (!strcmp(features[i].name, name))
			return &features[i];
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(others[i].name, name))
			return &others[i];
	return NULL;
}
