// SPDX-License-Identifier: BSD-3-Clause
// Flows that a switch with iQCN knows: one array a column, for a dictionary's containers nest but
// once.
#include "iqcn.h"

#include <arpa/inet.h>
#include <errno.h>

#include <rte_telemetry.h>
#include <rte_version.h>

enum { NUMBERS = 4, TEXTS = 3 };

#if RTE_VERSION >= RTE_VERSION_NUM(23, 3, 0, 0)
#define put_number  rte_tel_data_add_dict_uint
#define add_number  rte_tel_data_add_array_uint
#define NUMBER_TYPE RTE_TEL_UINT_VAL
#else
#define put_number  rte_tel_data_add_dict_u64
#define add_number  rte_tel_data_add_array_u64
#define NUMBER_TYPE RTE_TEL_U64_VAL
#endif

static struct rte_tel_data *array(enum rte_tel_value_type type)
{
	struct rte_tel_data *a = rte_tel_data_alloc();

	if (a)
		rte_tel_data_start_array(a, type);
	return a;
}

static int numbers(struct rte_tel_data *d, const char *name, const struct query *q, unsigned column)
{
	struct rte_tel_data *a = array(NUMBER_TYPE);

	for (unsigned i = 0; a && i < q->n_flows; i++) {
		const struct query_flow *f = &q->flow[i];
		const uint64_t v[NUMBERS] = {f->qpn, f->last, f->tx_cnps, f->age};

		add_number(a, v[column]);
	}
	return a ? rte_tel_data_add_dict_container(d, name, a, 0) : -ENOMEM;
}

static int texts(struct rte_tel_data *d, const char *name, const struct scene *s,
	const struct query *q, unsigned column)
{
	struct rte_tel_data *a = array(RTE_TEL_STRING_VAL);

	for (unsigned i = 0; a && i < q->n_flows; i++) {
		const struct query_flow *f = &q->flow[i];
		char text[INET6_ADDRSTRLEN];

		if (column)
			inet_ntop(f->ipv4 ? AF_INET : AF_INET6,
				column == 1 ? f->sender : f->receiver, text, sizeof(text));
		rte_tel_data_add_array_string(
			a, column ? text : s->node[q->node].port[f->port].name);
	}
	return a ? rte_tel_data_add_dict_container(d, name, a, 0) : -ENOMEM;
}

int telemetry_iqcn(struct rte_tel_data *d, const struct scene *s, const struct query *q)
{
	static const char *const text[TEXTS] = {"port", "sender", "receiver"};
	static const char *const number[NUMBERS] = {"qpn", "last_cnp_ps", "tx_cnp", "age_ps"};
	int rc = 0;

	put_number(d, "at_ps", q->at);
	put_number(d, "flows", q->known);
	put_number(d, "entries", q->entries);
	if (q->next)
		put_number(d, "next", q->next);
	for (unsigned i = 0; !rc && i < TEXTS; i++)
		rc = texts(d, text[i], s, q, i);
	for (unsigned i = 0; !rc && i < NUMBERS; i++)
		rc = numbers(d, number[i], q, i);
	return rc;
}
