// SPDX-License-Identifier: BSD-3-Clause
// The data-pkt-events of a Lumina configuration as faults.
#include <errno.h>
#include <string.h>

#include "int.h"

static int action_of(struct lumina *l, const struct yamldoc_node *event, const char **action)
{
	static const char *const types[][2] = {
		{"drop", "drop"}, {"ecn", "ecn"}, {"bit-error", "corrupt"}};
	const struct yamldoc_node *type;
	int rc = lumina_need(l, event, "type", &type);

	if (rc)
		return rc;
	for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		*action = types[i][1];
		if (type->type == YAMLDOC_SCALAR && !strcmp(type->text, types[i][0]))
			return 0;
	}
	return yamldoc_err(l->err, type, "type: '%.40s' is not one of drop, ecn and bit-error",
		type->type == YAMLDOC_SCALAR ? type->text : "");
}

static int put_event(struct lumina *l, const struct yamldoc_node *event, FILE *f)
{
	const uint64_t packets = l->messages * ((l->bytes + l->mtu - 1) / l->mtu);
	const bool reads = !strcmp(l->verb, "read");
	uint64_t qpn, psn, iter;
	const char *action;
	int rc = lumina_number(l, event, "qpn", 0, l->qps - 1, &qpn);

	if (!rc)
		rc = lumina_number(l, event, "psn", 0, packets - 1, &psn);
	if (!rc)
		rc = lumina_number(l, event, "iter", 1, UINT32_MAX - 1, &iter);
	if (!rc)
		rc = action_of(l, event, &action);
	if (!rc)
		fprintf(f, "  - {qp: \"lumina[%s.%llu]\", psn: %llu, pass: %llu, do: %s}\n",
			reads ? "responder>requester" : "requester>responder",
			(unsigned long long)qpn, (unsigned long long)psn, (unsigned long long)iter,
			action);
	return rc;
}

int lumina_events(struct lumina *l, FILE *f)
{
	const struct yamldoc_node *list = yamldoc_get(l->traffic, "data-pkt-events");
	int rc = 0;

	if (!list || yamldoc_is_null(list))
		return 0;
	if (list->type != YAMLDOC_LIST)
		return yamldoc_err(l->err, list, "data-pkt-events is a list of events");
	if (list->n)
		fputs("\nfaults:\n", f);
	for (unsigned i = 0; !rc && i < list->n; i++)
		rc = put_event(l, list->item[i].value, f);
	return rc;
}
