// SPDX-License-Identifier: BSD-3-Clause
// How firmware is found in a shared object and how its calls become the NIC's, until it crashes in
// one.
#include "firmware.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "conf/conf.h"
#include "guest/guest.h"

enum call { CALL_INIT, CALL_EVENT, CALL_DEADLINE, CALL_EXPIRE, CALL_FINI };

static const char *const call_name[] = {
	"fw_init", "fw_event", "fw_deadline", "fw_expire", "fw_fini"};

struct firmware {
	struct fw_host host;
	struct nic *nic;
	void *object;   // of dlopen
	void *fw;       // the firmware's own
	tstamp now;     // of the last call that had a time
	enum call call; // the last one
	bool over;      // no register is read or written any more
	bool dead;      // it has crashed in `call`, and is called no more
	struct guard guard;
	atomic_bool *crashed;
	void *(*init)(const struct fw_host *host, uint64_t now_ps);
	void (*event)(void *fw, uint32_t qp, uint64_t now_ps);
	uint64_t (*deadline)(void *fw);
	void (*expire)(void *fw, uint64_t now_ps);
	void (*fini)(void *fw);
};

// The firmware may pass a null pointer. The guard takes the signal of that, so UBSan must not end
// the process first.
#define GUARDED __attribute__((no_sanitize("null")))

// The pointers in these calls are the firmware's, so a crash here is its own. A crash in the NIC is
// ours.
GUARDED static int reg_find(void *arg, const char *name, uint32_t qp, struct fw_place *place)
{
	struct rdma_ip_place p;
	int rc = rdma_ip_reg_find(&p, name, qp);

	(void)arg;
	if (!rc)
		*place = (struct fw_place){p.address, p.lsb, p.width};
	return rc;
}

GUARDED static int reg_read(void *arg, const struct fw_place *place, uint64_t *value)
{
	const struct firmware *f = arg;
	struct rdma_ip_place p = {place->address, place->lsb, place->width};
	struct guard *g;
	uint64_t v = 0;
	int rc;

	if (f->over)
		return -ESHUTDOWN;
	g = guard_off();
	rc = nic_reg_read(f->nic, &p, &v, f->now);
	guard_on(g);
	if (!rc)
		*value = v;
	return rc;
}

GUARDED static int reg_write(void *arg, const struct fw_place *place, uint64_t value)
{
	const struct firmware *f = arg;
	struct rdma_ip_place p = {place->address, place->lsb, place->width};
	struct guard *g;
	int rc;

	if (f->over)
		return -ESHUTDOWN;
	g = guard_off();
	rc = nic_reg_write(f->nic, &p, value, f->now);
	guard_on(g);
	return rc;
}

// Makes a call. Gives the deadline, where that is asked for.
static tstamp call_firmware(struct firmware *f, enum call what, uint32_t qpn)
{
	switch (what) {
	case CALL_INIT:
		f->fw = f->init(&f->host, f->now);
		break;
	case CALL_EVENT:
		f->event(f->fw, qpn, f->now);
		break;
	case CALL_DEADLINE:
		return f->deadline(f->fw);
	case CALL_EXPIRE:
		f->expire(f->fw, f->now);
		break;
	case CALL_FINI:
		f->fini(f->fw);
		break;
	}
	return TSTAMP_NEVER;
}

// Calls the firmware, guarded. A firmware that has crashed wants nothing any more.
static tstamp call(struct firmware *f, enum call what, uint32_t qpn, tstamp now)
{
	if (f->dead)
		return TSTAMP_NEVER;
	f->call = what;
	f->now = now;
	if (sigsetjmp(f->guard.back, 0)) {
		f->dead = true;
		atomic_store(f->crashed, true);
		return TSTAMP_NEVER;
	}
	guard_on(&f->guard);

	tstamp at = call_firmware(f, what, qpn);

	guard_off();
	return at;
}

static void on_cnp(void *arg, uint32_t qpn, tstamp now)
{
	call(arg, CALL_EVENT, qpn, now);
}

static tstamp on_deadline(void *arg)
{
	struct firmware *f = arg;

	return call(f, CALL_DEADLINE, 0, f->now);
}

static void on_expire(void *arg, tstamp now)
{
	call(arg, CALL_EXPIRE, 0, now);
}

// dlsym gives a data pointer; POSIX says that it may be used as this.
static int bind_all(struct firmware *f, const char *file, struct err *err)
{
	const struct {
		const char *name;
		void *to;
	} function[] = {
		{call_name[CALL_INIT], &f->init},
		{call_name[CALL_EVENT], &f->event},
		{call_name[CALL_DEADLINE], &f->deadline},
		{call_name[CALL_EXPIRE], &f->expire},
		{call_name[CALL_FINI], &f->fini},
	};

	for (unsigned i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		void **to = function[i].to;

		*to = dlsym(f->object, function[i].name);
		if (!*to)
			return err_set(err, -EINVAL,
				"%s: has no %s; quench/fw.h says what firmware is", file,
				function[i].name);
	}
	return 0;
}

static int load_object(struct firmware *f, const struct firmware_params *p, struct err *err)
{
	struct err why;
	int rc = trust_load(&f->object, p->file, p->trusts, &why);

	if (rc)
		return err_set(err, rc, "firmware of %s cannot be loaded: %s", p->name, why.text);
	rc = bind_all(f, p->file, err);
	if (rc)
		return rc;
	call(f, CALL_INIT, 0, 0);
	if (!f->fw && !f->dead)
		return err_set(err, -EINVAL, "%s: refuses to run for %s with '%s'", p->file,
			p->name, p->args);
	return 0;
}

int firmware_load(struct firmware **out, const struct firmware_params *params, struct nic *nic,
	struct err *err)
{
	static const struct nic_fw_ops ops = {on_cnp, on_deadline, on_expire};
	struct firmware *f = calloc(1, sizeof(*f));
	int rc;

	if (!f)
		return err_set(err, -ENOMEM, "no memory for firmware");
	guard_open();
	f->nic = nic;
	f->crashed = params->crashed;
	f->host = (struct fw_host){
		.nic = f,
		.name = params->name,
		.args = params->args ? params->args : "",
		.qps = nic_reg_qps(nic),
		.find = reg_find,
		.read = reg_read,
		.write = reg_write,
	};
	rc = load_object(f, params, err);
	if (rc) {
		firmware_free(f);
		return rc;
	}
	nic_set_firmware(nic, &ops, f, 0);
	*out = f;
	return 0;
}

void firmware_end(struct firmware *f)
{
	if (!f || f->over)
		return;
	f->over = true;
	if (f->fw)
		call(f, CALL_FINI, 0, f->now);
}

bool firmware_crash(const struct firmware *f, struct firmware_crash *crash)
{
	if (!f || !f->dead)
		return false;
	*crash = (struct firmware_crash){
		f->host.name, call_name[f->call], guard_signal(&f->guard), f->now};
	return true;
}

void firmware_free(struct firmware *f)
{
	if (!f)
		return;
	firmware_end(f);
	guard_close();
	if (f->object)
		dlclose(f->object);
	free(f);
}
