// SPDX-License-Identifier: BSD-3-Clause
// Scenes of the fuzz target `world`: two hosts and a port to strangers at a switch, a third host
// with a port to strangers of its own. All that a switch and a NIC can do happens within some us.
#pragma once

#define WORLD_HOSTS                                                               \
	"hosts:\n"                                                                \
	"  h1: {ip: 10.0.0.1, streams: 4}\n"                                      \
	"  h2: {ip: 10.0.0.2, streams: 4}\n"                                      \
	"  h3: {ip: 10.0.0.3, streams: 4}\n"                                      \
	"  x1: {ip: 10.0.0.4, mac: auto, external: true}\n"                       \
	"  x2: {ip: 10.0.0.5, mac: auto, external: true}\n"                       \
	"links:\n"                                                                \
	"  - {between: [[h1..2, x1], s1], rate: 10Gbps, delay: 1us, mtu: 1600}\n" \
	"  - {between: [h3, x2], rate: 10Gbps, delay: 1us, mtu: 1600}\n"          \
	"ports:\n"                                                                \
	"  s1:x1: {device: net_null0}\n"                                          \
	"  h3:x2: {device: net_null1}\n"                                          \
	"defaults:\n"                                                             \
	"  flows: {mtu: 1024, message: 5000, count: 4, rto: 20us, class: 3}\n"

#define WORLD_IQCN                                                                             \
	"duration: 100ms\n"                                                                    \
	"controls: {dcqcn: {profile: paper}, ip: {profile: rdma_ip}}\n"                        \
	"switches:\n"                                                                          \
	"  s1:\n"                                                                              \
	"    buffer: 600KB\n"                                                                  \
	"    fdb_entries: 64\n"                                                                \
	"    classes:\n"                                                                       \
	"      3:\n"                                                                           \
	"        lossless: true\n"                                                             \
	"        pfc: {xoff: 12KB, xon_offset: 3KB}\n"                                         \
	"        wred: {min: 4KB, max: 20KB, probability: 50%, mark: dequeue}\n"               \
	"        iqcn: {heavy: 6KB, rpg_time_reset: 50us, entries: 64}\n"                      \
	"      4:\n"                                                                           \
	"        lossless: true\n"                                                             \
	"        pfc: {dynamic_th: -2}\n"                                                      \
	"        wred: {min: 4KB, max: 20KB}\n"                                                \
	"      7: {strict: true}\n"                                                            \
	"    pfc_watchdog:\n"                                                                  \
	"      {poll: 20us, detection: 100us, restoration: 100us, action: drop}\n" WORLD_HOSTS \
	"flows:\n"                                                                             \
	"  write: {from: h1, to: h2, control: dcqcn}\n"                                        \
	"  read: {from: h2, to: h1, verb: read, class: 4, control: ip}\n"                      \
	"  connects:\n"                                                                        \
	"    {from: h1, to: x1, verb: send, control: dcqcn, peer: {port: 18515}}\n"            \
	"  back: {from: x1, to: h2, peer: {port: 18516}}\n"                                    \
	"  numbers:\n"                                                                         \
	"    {from: h2, to: x1, control: ip, peer: {qpn: 0x11, psn: 0x1234,\n"                 \
	"    rkey: 0x1c00, va: 0x7f0000001000}}\n"                                             \
	"  asks: {from: h3, to: x2, verb: read, peer: {port: 18517}}\n"                        \
	"  asked: {from: x2, to: h3, peer: {port: 18518}}\n"                                   \
	"  open: {from: h3, to: x2, class: 0, open_loop: {size: 512, rate: 1%}}\n"

#define WORLD_QCN                                                                    \
	"duration: 100ms\n"                                                          \
	"controls:\n"                                                                \
	"  qcn: {qcn: {time_reset: 15us, byte_reset: 15KB}}\n"                       \
	"  timely: {profile: timely}\n"                                              \
	"switches:\n"                                                                \
	"  s1:\n"                                                                    \
	"    buffer: 400KB\n"                                                        \
	"    fdb_entries: 64\n"                                                      \
	"    classes:\n"                                                             \
	"      2: {qcn: {set_point: 6KB, sample_base: 10KB}}\n"                      \
	"      3:\n"                                                                 \
	"        lossless: true\n"                                                   \
	"        pfc: {xoff: 12KB, xon_offset: 3KB}\n"                               \
	"        wred: {min: 4KB, max: 20KB, probability: 50%, mark: enqueue}\n"     \
	"        fast_cnp: {interval: 5us, ce: true}\n"                              \
	"      7: {strict: true}\n" WORLD_HOSTS "flows:\n"                           \
	"  write: {from: h1, to: h2, class: 2, control: qcn}\n"                      \
	"  send: {from: h2, to: h1, verb: send_imm}\n"                               \
	"  connects:\n"                                                              \
	"    {from: h1, to: x1, verb: send, control: timely, peer: {port: 18515}}\n" \
	"  back: {from: x1, to: h2, peer: {port: 18516}}\n"                          \
	"  numbers:\n"                                                               \
	"    {from: h2, to: x1, class: 2, control: qcn, peer: {qpn: 0x11,\n"         \
	"    psn: 0x1234, rkey: 0x1c00, va: 0x7f0000001000}}\n"                      \
	"  asks: {from: h3, to: x2, verb: read, peer: {port: 18517}}\n"              \
	"  asked: {from: x2, to: h3, peer: {port: 18518}}\n"
