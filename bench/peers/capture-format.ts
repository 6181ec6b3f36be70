/** Bytes of a capture in the format of libpcap: its own header, and one before each packet. */
export const fileHeaderBytes = 24
export const recordHeaderBytes = 16
/** Before the payload of a packet: Ethernet, IPv4 without options, UDP. */
export const linkBytes = 14
export const networkBytes = 20
export const transportBytes = 8
