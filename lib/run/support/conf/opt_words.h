// SPDX-License-Identifier: BSD-3-Clause
// Words of other tools for options of quench: ns-3 and the HPCC simulator, perftest, SONiC,
// drivers; internal.
#pragma once

// A line has the words of one meaning. If somebody writes one of them that is no key there, the
// message names the words of the line that are keys. A word may have several meanings: the first
// one counts for which the place has a key.
static const char *const opt_meanings[] = {
	// who sends to whom, and how much
	"from src source sender client initiator",
	"to dst dest destination receiver target server sink",
	"between ends endpoints nodes src dst source destination from to connect",
	"class priority prio tc traffic_class pg priority_group queue sl service_level cos",
	"verb op operation opcode connection",
	"message size message_size msg_size flow_size bytes payload",
	"count iters iterations num_messages n",
	"outstanding tx_depth depth in_flight",
	"qps qp num_qp num_qps num_of_qps nqp queue_pairs connections",
	"mtu payload_size packet_size packet_payload_size frame_size max_frame",
	"control cc cc_mode cc_algorithm congestion_control congestion cca rp",
	"open_loop udp raw_ethernet background on_off",
	"start start_time begin",
	"stop stop_time end end_time",
	"at time when start start_time",
	// links
	("rate bandwidth bw speed capacity data_rate line_rate link_rate link_speed rate_limit "
	 "throughput"),
	"max_rate rate_limit shaper pir",
	"min_rate cir guaranteed_rate",
	"drain_rate rate bandwidth speed",
	"delay latency propagation propagation_delay prop_delay link_delay delay_time",
	"latency delay processing_delay pipeline_delay",
	"lcore core cpu",
	"device dev interface netdev pci",
	"capture pcap trace enable_pcap",
	// the whole
	"duration time sim_time run_time runtime stop_time simulator_stop_time length",
	"seed rng_seed random_seed rng_run",
	"sample sample_interval sampling interval monitor_interval",
	"hosts host nodes servers nics endpoints",
	"switches switch routers bridges",
	"links link edges cables",
	"flows flow traffic workload",
	"controls control cc congestion_control reaction_points",
	"topology topo network",
	// buffers and PFC
	"buffer buffer_size size memory packet_buffer shared_buffer mmu",
	"cell cell_size",
	"classes priorities queues pgs priority_groups traffic_classes",
	"lossless pfc_enable no_drop pfc_priority",
	"xoff static_th xoff_threshold xoff_th pfc_threshold",
	"limit static_th max_size",
	"dynamic_th alpha dt_alpha",
	"reserved size min_size guaranteed",
	"headroom headroom_size pg_headroom",
	"xon_offset xon_hysteresis hysteresis",
	"quanta pause_time pause_quanta",
	"flow_control fc",
	"pfc_watchdog pfcwd pfc_wd watchdog",
	"detection detection_time",
	"restoration restoration_time",
	"poll poll_interval",
	"strict strict_priority",
	"weight dwrr dwrr_weight wrr quantum scheduler",
	"dscp_map dscp_to_tc_map dscp_to_tc",
	"pcp_map dot1p_to_tc_map dot1p_to_tc dot1p_map",
	"queue_map tc_to_queue_map tc_to_queue",
	"pg_map tc_to_priority_group_map tc_to_pg_map tc_to_pg",
	"dscp tos traffic_class",
	// the congestion point
	"wred ecn red marker aqm wred_profile",
	"min kmin kmin_map ecn_min min_th min_threshold green_min_threshold",
	"max kmax kmax_map ecn_max max_th max_threshold green_max_threshold",
	"probability pmax pmax_map max_probability mark_probability green_drop_probability",
	// the notification point
	"np notification_point",
	"interval cnp_interval min_time_between_cnps cnp_timer",
	"cnp_class cnp_prio cnp_802p_prio cnp_priority",
	"ip address addr ip_address ipv4",
	"mac mac_address hwaddr ether",
	// reaction points, of which each profile has its own names
	"ai_rate rpg_ai_rate rate_ai",
	"hai_rate rpg_hai_rate rate_hai",
	"min_rate rpg_min_rate",
	"g ewma_gain gain dce_tcp_g upd_alpha_g",
	"initial_alpha initial_alpha_value init_alpha",
	"initial_rate init_rate start_rate rate_to_set_on_first_cnp",
	"alpha_timer dce_tcp_rtt alpha_timer_th alpha_resume_interval alpha_update_interval",
	"rate_timer rpg_time_reset nocnp_timer_th time_reset rp_timer",
	"byte_counter rpg_byte_reset byte_cnt_th byte_reset",
	"fr_threshold rpg_threshold phase_threshold threshold fast_recovery_times",
	"cut_interval rate_reduce_monitor_period rx_cnp_merge_period rate_decrease_interval",
	"clamp_target clamp_tgt_rate clamp_target_rate",
	"min_dec_fac rpg_min_dec_fac",
};

#define OPT_MEANINGS (sizeof(opt_meanings) / sizeof(opt_meanings[0]))
