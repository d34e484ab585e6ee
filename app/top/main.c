// SPDX-License-Identifier: BSD-3-Clause
// The loop of quench top: looks and keys come in, the screen is drawn.
#include "main.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "draw.h"
#include "poll.h"
#include "screen.h"

#define PAST_MS 120000 // what pasts hold
#define WAIT_MS 250    // at most, since a signal may come just before poll(2)

struct top {
	struct top_model model;
	struct top_view view;
	struct top_canvas canvas;
	struct top_state state;
	struct top_poll *poll;
};

static void take_news(struct top *t)
{
	struct top_news news;

	top_poll_take(t->poll, &news);
	if (news.looked && t->view.frozen) {
		metrics_free(&news.look);
		top_model_gap(&t->model);
	} else if (news.looked) {
		top_model_take(&t->model, &news.look);
		t->state.begun = true;
	}
	snprintf(t->state.notice, sizeof(t->state.notice), "%s", news.notice);
	t->state.ended = news.ended;
	if (news.done) {
		snprintf(t->view.told, sizeof(t->view.told), "%s", news.told);
		t->view.told_bad = news.failed;
	}
}

// Draws the screen; false: no memory.
static bool show(struct top *t)
{
	unsigned rows, columns;

	top_screen_size(&rows, &columns, &t->canvas.utf8);
	if (!top_view_sort(&t->view, &t->model) || top_canvas_clear(&t->canvas, rows, columns))
		return false;
	top_draw(&t->canvas, &t->view, &t->model, &t->state);
	top_screen_show(&t->canvas);
	return true;
}

static void take_keys(struct top *t)
{
	int key;

	while ((key = top_screen_key()) != SCREEN_NO_KEY) {
		if (key != SCREEN_RESIZED)
			top_view_key(&t->view, &t->model, key);
		if (!t->view.run)
			continue;
		t->view.run = false;
		if (!top_poll_run(
			    t->poll, t->view.action[t->view.choice].verb, t->view.command.text)) {
			snprintf(t->view.told, sizeof(t->view.told), "%s",
				t->state.ended ? "The instance has ended."
					       : "Another command is on its way.");
			t->view.told_bad = true;
		}
	}
}

static void run_loop(struct top *t, const atomic_bool *stop)
{
	while (!*stop && !t->view.quit) {
		struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
			{.fd = top_poll_fd(t->poll), .events = POLLIN}};

		if (!show(t))
			return;
		if (poll(fds, 2, WAIT_MS) < 0 && errno != EINTR)
			return;
		if (fds[0].revents & (POLLHUP | POLLERR))
			return; // the terminal is gone
		top_screen_pause();
		if (fds[1].revents)
			take_news(t);
		take_keys(t);
	}
}

static int watch(struct top *t, const struct instance *of, unsigned every_ms)
{
	const atomic_bool *stop = stop_catch(true);
	struct err err;
	unsigned depth = PAST_MS / every_ms + 1;

	t->state.name = of->name;
	t->state.scenario = of->scenario;
	t->state.pid = of->pid;
	t->state.duration_ps = of->duration_ps;
	t->state.dilate = of->dilate;
	top_view_init(&t->view);
	if (top_model_init(&t->model, depth < 24 ? 24 : depth)) {
		instance_close((struct instance[]){*of});
		return tell_input("quench top", "no memory");
	}
	if (top_screen_begin(&err)) {
		instance_close((struct instance[]){*of});
		return tell_input("quench top", err.text);
	}
	if (top_poll_begin(&t->poll, of, every_ms, &err)) {
		top_screen_end();
		return tell_input("quench top", err.text);
	}
	run_loop(t, stop);
	top_screen_end();
	top_poll_end(t->poll);
	return stop_status(EXIT_DONE);
}

int top_watch(const char *name, unsigned every_ms)
{
	struct instance_dirs dirs;
	struct instance of;
	struct top t = {0};
	struct err err;
	int status;

	instance_dirs(&dirs);
	if (instance_open(&of, name, &dirs, &err))
		return tell_input("quench top", err.text);
	status = watch(&t, &of, every_ms);
	top_canvas_free(&t.canvas);
	top_view_free(&t.view);
	top_model_free(&t.model);
	return status;
}
