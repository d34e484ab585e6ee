// SPDX-License-Identifier: BSD-3-Clause
// How firmware is found in a shared object and how its calls become the NIC's.
#include "run/firmware.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "run/fw.h"

struct firmware {
	struct fw_host host;
	struct nic *nic;
	void *object; // of dlopen
	void *fw;     // the firmware's own
	tstamp now;   // of the call that is being made
	void *(*init)(const struct fw_host *host, uint64_t now_ps);
	void (*event)(void *fw, uint32_t qp, uint64_t now_ps);
	uint64_t (*deadline)(void *fw);
	void (*expire)(void *fw, uint64_t now_ps);
	void (*fini)(void *fw);
};

static int reg_find(void *arg, const char *name, uint32_t qp, struct fw_place *place)
{
	struct hw_place p;
	int rc = hw_reg_find(&p, name, qp);

	(void)arg;
	if (!rc)
		*place = (struct fw_place){p.address, p.lsb, p.width};
	return rc;
}

static int reg_read(void *arg, const struct fw_place *place, uint64_t *value)
{
	const struct firmware *f = arg;
	struct hw_place p = {place->address, place->lsb, place->width};

	return nic_reg_read(f->nic, &p, value, f->now);
}

static int reg_write(void *arg, const struct fw_place *place, uint64_t value)
{
	const struct firmware *f = arg;
	struct hw_place p = {place->address, place->lsb, place->width};

	return nic_reg_write(f->nic, &p, value, f->now);
}

static void on_cnp(void *arg, uint32_t qpn, tstamp now)
{
	struct firmware *f = arg;

	f->now = now;
	f->event(f->fw, qpn, now);
}

static tstamp on_deadline(void *arg)
{
	struct firmware *f = arg;

	return f->deadline(f->fw);
}

static void on_expire(void *arg, tstamp now)
{
	struct firmware *f = arg;

	f->now = now;
	f->expire(f->fw, now);
}

// dlsym gives a data pointer; POSIX says that it may be used as this.
static int bind_all(struct firmware *f, const char *file, struct err *err)
{
	const struct {
		const char *name;
		void *to;
	} function[] = {
		{"fw_init", &f->init},
		{"fw_event", &f->event},
		{"fw_deadline", &f->deadline},
		{"fw_expire", &f->expire},
		{"fw_fini", &f->fini},
	};

	for (unsigned i = 0; i < sizeof(function) / sizeof(function[0]); i++) {
		void **to = function[i].to;

		*to = dlsym(f->object, function[i].name);
		if (!*to)
			return err_set(err, -EINVAL,
				"%s: has no %s; lib/run/fw.h says what firmware is", file,
				function[i].name);
	}
	return 0;
}

static int load(struct firmware *f, const struct firmware_params *p, struct err *err)
{
	int rc;

	f->object = dlopen(p->file, RTLD_NOW | RTLD_LOCAL);
	if (!f->object)
		return err_set(
			err, -ENOENT, "firmware of %s cannot be loaded: %s", p->name, dlerror());
	rc = bind_all(f, p->file, err);
	if (rc)
		return rc;
	f->fw = f->init(&f->host, 0);
	if (!f->fw)
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
	f->nic = nic;
	f->host = (struct fw_host){
		.nic = f,
		.name = params->name,
		.args = params->args ? params->args : "",
		.qps = nic_reg_qps(nic),
		.find = reg_find,
		.read = reg_read,
		.write = reg_write,
	};
	rc = load(f, params, err);
	if (rc) {
		firmware_free(f);
		return rc;
	}
	nic_set_firmware(nic, &ops, f, 0);
	*out = f;
	return 0;
}

void firmware_free(struct firmware *f)
{
	if (!f)
		return;
	if (f->fw)
		f->fini(f->fw);
	if (f->object)
		dlclose(f->object);
	free(f);
}
