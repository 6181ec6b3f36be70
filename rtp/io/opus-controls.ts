/** opus_defines.h: applications, requests of `opus_encoder_ctl`, and the longest packet of one frame (RFC 6716 §3.4). */
export const opusControls = {
  voip: 2048,
  audio: 2049,
  setBitrate: 4002,
  setComplexity: 4010,
  setInbandFec: 4012,
  setPacketLossPercent: 4014,
  setDtx: 4016,
} as const

export const longestOpusPacket = 1275
