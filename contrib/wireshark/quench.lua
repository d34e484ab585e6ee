-- SPDX-License-Identifier: BSD-3-Clause
-- A plug-in for Wireshark and tshark, tested with 4.0. It dissects the frames of lossless Ethernet
-- that they leave opaque: the CN-TAG and the CNM of 802.1Qau (standards.md 1.2, 1.3). It says in
-- the column Info which priorities a PFC frame stops and releases. It names the CNP of RoCEv2, and
-- shows FECN and BECN of its header.
--
-- Lua cannot tell a dissector that the capture cut its bytes. So in a capture that cuts frames,
-- Wireshark complains that the packet behind a CN-TAG is shorter than its header says.

local ETHERTYPE_MAC_CONTROL = 0x8808
local ETHERTYPE_CNM = 0x22e7
local ETHERTYPE_CNTAG = 0x22e9
local ROCE_PORT = 4791

local ethertypes = DissectorTable.get("ethertype")
local udp_ports = DissectorTable.get("udp.port")
local data = Dissector.get("data")

local names = {
	[0x0800] = "IPv4", [0x0806] = "ARP", [0x8100] = "802.1Q VLAN", [0x86dd] = "IPv6",
	[0x8915] = "RoCEv1", [ETHERTYPE_CNM] = "CNM", [ETHERTYPE_CNTAG] = "CN-TAG",
}

-- Calls a function of Wireshark. If a frame ends too early for it, Wireshark has already said so in
-- the tree, and this returns nil.
local function try(call, ...)
	local ok, result = pcall(call, ...)
	return ok and result or nil
end

-- Says that a header ends too early: `item` gets `expert` unless the capture cut the frame.
local function say_short(pinfo, item, name, expert)
	if pinfo.caplen < pinfo.len then
		pinfo.cols.info = name .. ", cut by the capture"
	else
		item:add_proto_expert_info(expert)
		pinfo.cols.info = name .. " is too short"
	end
end

-- CN-TAG: the flow ID, the EtherType of the frame, and the frame's content.
local cntag = Proto("cntag", "802.1Qau CN-TAG")
local tag = {
	flow_id = ProtoField.uint16("cntag.flow_id", "Flow ID", base.DEC),
	type = ProtoField.uint16("cntag.type", "Type", base.HEX, names),
	trailer = ProtoField.bytes("cntag.trailer", "Trailer"),
}
cntag.fields = {tag.flow_id, tag.type, tag.trailer}
local tag_short = ProtoExpert.new("cntag.short", "CN-TAG is too short: it has 4 bytes",
	expert.group.MALFORMED, expert.severity.ERROR)
local tag_second = ProtoExpert.new("cntag.second", "A frame has one CN-TAG only",
	expert.group.PROTOCOL, expert.severity.ERROR)
cntag.experts = {tag_short, tag_second}

function cntag.dissector(tvb, pinfo, tree)
	pinfo.cols.protocol = "CN-TAG"
	if tvb:len() < 4 then
		say_short(pinfo, tree:add(cntag, tvb()), "CN-TAG", tag_short)
		return tvb:len()
	end
	local flow_id, ethertype = tvb(0, 2):uint(), tvb(2, 2):uint()
	local item = tree:add(cntag, tvb(0, 4))
	item:append_text(", flow ID " .. flow_id)
	item:add(tag.flow_id, tvb(0, 2))
	item:add(tag.type, tvb(2, 2))
	pinfo.cols.info = string.format("Type 0x%04x", ethertype)
	if tvb:len() > 4 then
		local content = tvb(4):tvb()
		if ethertype == ETHERTYPE_CNTAG then
			item:add_proto_expert_info(tag_second)
			data:call(content, pinfo, tree)
		elseif try(ethertypes.try, ethertypes, ethertype, content, pinfo, tree) == 0 then
			data:call(content, pinfo, tree)
		end
		-- A dissector of IP makes its buffer as short as the packet.
		local used = content:reported_length_remaining()
		if used < tvb:len() - 4 then
			item:add(tag.trailer, tvb(4 + used))
		end
	end
	pinfo.cols.info:append(", flow ID " .. flow_id)
	return tvb:len()
end

-- CNM: the 24 bytes of its fixed part, and the first bytes of the sampled frame.
local cnm = Proto("cnm", "802.1Qau Congestion Notification Message")
local msg = {
	version = ProtoField.uint16("cnm.version", "Version", base.DEC, nil, 0xf000),
	reserved = ProtoField.uint16("cnm.reserved", "ReservedV", base.DEC, nil, 0x0fc0),
	qntzfb = ProtoField.uint16("cnm.qntzfb", "Quantized Feedback", base.DEC, nil, 0x003f),
	cpid = ProtoField.bytes("cnm.cpid", "Congestion Point Identifier"),
	qoffset = ProtoField.int16("cnm.qoffset", "QOffset (units of 64 bytes)", base.DEC),
	over = ProtoField.int32("cnm.over", "Queue over its set point (bytes)", base.DEC),
	qdelta = ProtoField.int16("cnm.qdelta", "QDelta (units of 64 bytes)", base.DEC),
	priority = ProtoField.uint16("cnm.priority", "Encapsulated Priority", base.DEC, nil,
		0xe000),
	dst = ProtoField.ether("cnm.encapsulated_dst", "Encapsulated Destination"),
	length = ProtoField.uint16("cnm.encapsulated_length", "Encapsulated MSDU Length", base.DEC),
	msdu = ProtoField.bytes("cnm.msdu", "Encapsulated MSDU"),
	padding = ProtoField.bytes("cnm.padding", "Padding"),
}
cnm.fields = {
	msg.version, msg.reserved, msg.qntzfb, msg.cpid, msg.qoffset, msg.over, msg.qdelta,
	msg.priority, msg.dst, msg.length, msg.msdu, msg.padding,
}
local cnm_short = ProtoExpert.new("cnm.short", "CNM is too short: it has 24 bytes",
	expert.group.MALFORMED, expert.severity.ERROR)
local cnm_version = ProtoExpert.new("cnm.bad_version",
	"Version is not 0: a reaction point ignores this CNM", expert.group.PROTOCOL,
	expert.severity.WARN)
local cnm_length = ProtoExpert.new("cnm.bad_length",
	"Encapsulated MSDU is longer than 64 bytes or than the frame", expert.group.MALFORMED,
	expert.severity.ERROR)
cnm.experts = {cnm_short, cnm_version, cnm_length}

function cnm.dissector(tvb, pinfo, tree)
	pinfo.cols.protocol = "CNM"
	local item = tree:add(cnm, tvb())
	local length = tvb:len()
	if length < 24 then
		say_short(pinfo, item, "CNM", cnm_short)
		return length
	end
	local version = item:add(msg.version, tvb(0, 2))
	if tvb(0, 1):bitfield(0, 4) ~= 0 then
		version:add_proto_expert_info(cnm_version)
		pinfo.cols.info = "CNM of unknown version " .. tvb(0, 1):bitfield(0, 4)
		data:call(tvb(2):tvb(), pinfo, tree)
		return length
	end
	local over = -64 * tvb(10, 2):int()
	item:add(msg.reserved, tvb(0, 2))
	item:add(msg.qntzfb, tvb(0, 2))
	item:add(msg.cpid, tvb(2, 8))
	item:add(msg.qoffset, tvb(10, 2))
	item:add(msg.over, tvb(10, 2), over):set_generated()
	item:add(msg.qdelta, tvb(12, 2))
	item:add(msg.priority, tvb(14, 2))
	item:add(msg.dst, tvb(16, 6))
	local msdu = tvb(22, 2):uint()
	local msdu_item = item:add(msg.length, tvb(22, 2))
	pinfo.cols.info = string.format(
		"QntzFb %d, queue %+d bytes from set point, priority %d, to %s",
		tvb(0, 2):bitfield(10, 6), over, tvb(14, 1):bitfield(0, 3),
		tostring(tvb(16, 6):ether()))
	local left = math.min(msdu, length - 24)
	if msdu > 64 or (msdu > left and pinfo.caplen == pinfo.len) then
		msdu_item:add_proto_expert_info(cnm_length)
		pinfo.cols.info:append(", bad MSDU length")
		return length
	end
	if left > 0 then
		item:add(msg.msdu, tvb(24, left))
	end
	if length > 24 + left then
		item:add(msg.padding, tvb(24 + left))
	end
	return length
end

-- PFC: which priorities stop and which go on. Wireshark's own dissector shows the fields.
local pfc = Proto("pfc", "802.1Qbb Priority-based Flow Control")
local sense = ProtoField.string("pfc.sense", "Sense")
local xoff = ProtoField.uint8("pfc.xoff", "Stops priority", base.DEC)
local xon = ProtoField.uint8("pfc.xon", "Releases priority", base.DEC)
pfc.fields = {sense, xoff, xon}
local mac_control = ethertypes:get_dissector(ETHERTYPE_MAC_CONTROL)

function pfc.dissector(tvb, pinfo, tree)
	try(mac_control.call, mac_control, tvb, pinfo, tree)
	if tvb:len() < 20 or tvb(0, 2):uint() ~= 0x0101 then
		return tvb:len()
	end
	local item = tree:add(pfc, tvb(2, 18))
	local stops, releases = {}, {}
	for priority = 0, 7 do
		if tvb(3, 1):bitfield(7 - priority, 1) == 1 then
			local time = tvb(4 + 2 * priority, 2)
			if time:uint() > 0 then
				table.insert(stops, priority .. " (" .. time:uint() .. " quanta)")
				item:add(xoff, time, priority):set_generated()
			else
				table.insert(releases, priority)
				item:add(xon, time, priority):set_generated()
			end
		end
	end
	local said, texts = "none", {}
	if #stops > 0 then
		said = "xoff"
		table.insert(texts, "XOFF of priority " .. table.concat(stops, ", "))
	end
	if #releases > 0 then
		said = said == "xoff" and "mixed" or "xon"
		table.insert(texts, "XON of priority " .. table.concat(releases, ", "))
	end
	item:add(sense, tvb(2, 2), said):set_generated()
	pinfo.cols.protocol = "PFC"
	pinfo.cols.info = #texts > 0 and table.concat(texts, "; ") or "no priority is enabled"
	return tvb:len()
end

-- RoCEv2: Wireshark's own dissector, then FECN and BECN, and the name of the CNP.
local roce = Proto("rocev2", "RoCEv2 congestion notification")
local fecn = ProtoField.bool("rocev2.fecn", "FECN", 8, nil, 0x80)
local becn = ProtoField.bool("rocev2.becn", "BECN", 8, nil, 0x40)
local cnp = ProtoField.bool("rocev2.cnp", "CNP")
roce.fields = {fecn, becn, cnp}
local infiniband = udp_ports:get_dissector(ROCE_PORT)

function roce.dissector(tvb, pinfo, tree)
	try(infiniband.call, infiniband, tvb, pinfo, tree)
	if tvb:len() < 12 then
		return tvb:len()
	end
	local item = tree:add(roce, tvb(4, 1))
	item:add(fecn, tvb(4, 1))
	item:add(becn, tvb(4, 1))
	if tvb(0, 1):uint() == 0x81 then
		item:add(cnp, tvb(0, 1), true):set_generated()
		pinfo.cols.info = string.format("CNP QP=0x%06x", tvb(5, 3):uint())
	end
	return tvb:len()
end

ethertypes:add(ETHERTYPE_CNTAG, cntag)
ethertypes:add(ETHERTYPE_CNM, cnm)
if mac_control then
	ethertypes:set(ETHERTYPE_MAC_CONTROL, pfc)
end
if infiniband then
	udp_ports:set(ROCE_PORT, roce)
end
