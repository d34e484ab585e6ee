// SPDX-License-Identifier: BSD-3-Clause
// Gateways of hosts: the networks that they lead to, the ends that ask for them, and bad input.
#include "scene_lab.h"

#define SCENE(a, b, ports, flow)                                 \
	"duration: 1ms\nhosts: {a: {" a "}, b: {" b "}}\n"       \
	"links: [{between: [a, b], rate: 25Gbps, delay: 1us}]\n" \
	"ports: {" ports "}\nflows: {f: {from: a, to: b, " flow "}}\n"
#define DEVICES "\"a:b\": {device: net_null0}, \"b:a\": {device: net_null1}"
#define A       "ip: 10.1.1.4, gateway: {ip: 10.1.1.1}"
#define B       "ip: 10.1.2.4, gateway: {ip: 10.1.2.1, prefix: 28}"

static const struct scene_opts real = {.real = true, .one_clock = true};
static const struct scene_opts virtual = {.one_clock = true};

static struct scene *loaded(const char *text, const struct scene_opts *opts)
{
	struct scene *s = NULL;

	if (lab_try(&s, text, opts))
		fail_msg("%s", lab_err.text);
	return s;
}

// Each end asks: the requester for its requests, the responder for its ACKs and CNPs.
static void both_ends_of_a_flow_ask(void **state)
{
	struct scene *s = loaded(SCENE(A, B, DEVICES, "message: 4KB"), &real);
	const uint8_t ip[4] = {10, 1, 2, 1};
	const struct scene_flow *f = s->flow[0];

	(void)state;
	assert_int_equal(s->node[0].u.nic.gateway.prefix, 24);
	assert_int_equal(s->node[1].u.nic.gateway.prefix, 28);
	assert_memory_equal(s->node[1].u.nic.gateway.ip, ip, 4);
	assert_null(f->peer);
	assert_true(f->req.peer->resolve);
	assert_ptr_equal(f->req.peer->data, &f->way[0]->data);
	assert_ptr_equal(f->req.data_hdr, &f->way[0]->data.hdr);
	assert_true(f->rsp.peer->resolve);
	assert_ptr_equal(f->rsp.peer->ack, &f->hdr_ack);
	assert_ptr_equal(f->rsp.peer->cnp, &f->hdr_cnp);
	assert_non_null(s->readdressed);
	scene_free(s);
}

// The reader asks, and the other end serves.
static void a_reader_asks(void **state)
{
	struct scene *s = loaded(SCENE(A, B, DEVICES, "verb: read, message: 4KB"), &real);
	const struct scene_flow *f = s->flow[0];

	(void)state;
	assert_ptr_equal(f->rsp.peer->data, &f->way[1]->data);
	assert_ptr_equal(f->rsp.ack_hdr, &f->way[1]->data.hdr);
	assert_ptr_equal(f->req.peer->ack, &f->hdr_data);
	scene_free(s);
}

static void a_source_asks(void **state)
{
	struct scene *s = loaded(SCENE(A, B, DEVICES, "open_loop: {size: 100}"), &real);

	(void)state;
	assert_ptr_equal(s->source[0]->ask, &s->source[0]->hdr);
	scene_free(s);
	s = loaded(SCENE(A, B, DEVICES, "open_loop: {size: 100, raw: true}"), &real);
	assert_null(s->source[0]->ask);
	scene_free(s);
}

// In the same network, on the virtual clock, and without a device.
static void a_gateway_may_not_be_needed(void **state)
{
	struct scene *s =
		loaded(SCENE("ip: 10.1.1.4, gateway: {ip: 10.1.1.1}",
			       "ip: 10.1.1.5, gateway: {ip: 10.1.1.1}", DEVICES, "message: 4KB"),
			&real);

	(void)state;
	assert_int_equal(s->node[0].u.nic.gateway.prefix, 24);
	assert_null(s->flow[0]->req.peer);
	assert_null(s->flow[0]->rsp.peer);
	scene_free(s);
	s = loaded(SCENE(A, B, DEVICES, "message: 4KB"), &virtual);
	assert_int_equal(s->node[0].u.nic.gateway.prefix, 0);
	assert_null(s->flow[0]->req.peer);
	assert_non_null(strstr(s->warning[s->n_warnings - 1].text,
		"gateway of a and 1 more counts for nothing on the virtual clock"));
	scene_free(s);
	s = loaded(SCENE(A, B, "", "message: 4KB"), &real);
	assert_null(s->flow[0]->req.peer);
	assert_int_equal(s->n_warnings, 1);
	assert_non_null(strstr(
		s->warning[0].text, "gateway of a and 1 more counts for nothing without a device"));
	scene_free(s);
}

// An external host is behind the gateway, whatever hardware address the file gives it.
static void an_external_host_is_behind_it(void **state)
{
	struct scene *s =
		loaded(SCENE(A, "ip: 10.1.2.4, external: true, mac: \"02:00:00:00:00:99\"",
			       "\"a:b\": {device: net_null0}", "peer: {qpn: 17, psn: 0}, count: 1"),
			&real);

	(void)state;
	assert_true(s->flow[0]->req.peer->resolve);
	scene_free(s);
}

static void refused(const char *a, const char *why)
{
	char text[512];

	snprintf(text, sizeof(text), SCENE("%s", "", DEVICES, "message: 4KB"), a);
	lab_refuse(text, why);
}

static void wrong_gateways_are_refused(void **state)
{
	(void)state;
	refused("ip: 10.1.1.4, gateway: {ip: 10.1.2.1}",
		"lab.yaml:2:41: gateway 10.1.2.1 is not in the network of host 'a', 10.1.1.4/24; "
		"give a router of that network, or another prefix");
	refused("ip: 10.1.1.4, gateway: {ip: 10.1.1.4}",
		"lab.yaml:2:41: gateway 10.1.1.4 is the address of host 'a' itself; give the "
		"router's");
	refused("ip: 10.1.1.4, gateway: {ip: \"fd00::1\"}",
		"lab.yaml:2:41: host 'a' has the address 10.1.1.4, and its gateway is fd00::1; "
		"give both one version of IP");
	refused("ip: 10.1.1.4, gateway: {ip: 10.1.1.1, prefix: 40}",
		"lab.yaml:2:59: prefix 40 is longer than a network of IPv4 has; it can be 1..31");
	refused("ip: 10.1.1.4, gateway: {prefix: 24}",
		"lab.yaml:2:36: 'ip' is missing in this gateway");
}

static void a_link_local_router_is_a_gateway(void **state)
{
	struct scene *s = loaded(SCENE("ip: \"fd00:1::4\", gateway: {ip: \"fe80::1\"}",
					 "ip: \"fd00:2::4\"", DEVICES, "message: 4KB"),
		&real);

	(void)state;
	assert_int_equal(s->node[0].u.nic.gateway.prefix, 64);
	assert_non_null(s->flow[0]->req.peer);
	assert_null(s->flow[0]->rsp.peer);
	scene_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_flow_ask),
		cmocka_unit_test(a_reader_asks),
		cmocka_unit_test(a_source_asks),
		cmocka_unit_test(a_gateway_may_not_be_needed),
		cmocka_unit_test(an_external_host_is_behind_it),
		cmocka_unit_test(wrong_gateways_are_refused),
		cmocka_unit_test(a_link_local_router_is_a_gateway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
